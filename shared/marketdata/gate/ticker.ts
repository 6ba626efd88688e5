import { symbolKey } from '../../registry/fold.ts';
import type { Expected, Labels } from '../provider.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import { isPrice, MAX_CLOCK_LEAD_MS } from './bounds.ts';
import { checkFigures } from './figures.ts';
import { Implausible } from './implausible.ts';

/** Ten times the longest text of the provider. */
const MAX_TEXT_LENGTH = 1000;
/** Amounts that cannot be negative: one that is says nothing, and the price beside it may be right. */
const AMOUNTS = ['volume_24h', 'market_cap', 'ath_price'] as const;
const SUPPLIES = ['circulating_supply', 'total_supply', 'max_supply'] as const;

/** The ticker that was asked for, without what is impossible beside its price. Throws Implausible. */
export function plausibleTicker(ticker: Ticker, id: string, expected: Expected<Ticker>): Ticker {
  if (ticker.id !== id) {
    throw new Implausible('Identity', `the ticker of ${shown(ticker.id)} in place of that of ${shown(id)}`);
  }
  const plausible = plausibleRow(ticker, expected);
  const held = expected.held?.data;
  if (held && isOlder(ticker, held)) {
    const time = ticker.last_updated ?? 'no time';
    throw new Implausible('Older', `a ticker of ${time}, where the one of ${held.last_updated} is known`);
  }
  checkFigures(plausible, expected.held);
  return plausible;
}

/** True if it is older than the one at hand, or hides how old it is. */
export function isOlder(ticker: Ticker, held: Ticker): boolean {
  const heldAt = tickerMadeAt(held);
  return heldAt !== undefined && (tickerMadeAt(ticker) ?? Number.NEGATIVE_INFINITY) < heldAt;
}

/** The same for a row of a list, of which nobody asked for one coin, but for its figures. Throws Implausible. */
export function plausibleRow(ticker: Ticker, { held, isActive, labels }: Expected<Ticker>): Ticker {
  const { id, name, symbol, first_data_at, last_updated, quotes } = ticker;
  for (const text of [id, name, symbol]) {
    if (text.length > MAX_TEXT_LENGTH) throw new Implausible('Text', `a text of ${text.length} characters`);
    if (text.trim() === '') throw new Implausible('Text', 'no name or no symbol');
  }
  for (const time of [first_data_at, last_updated, quotes.USD.ath_date]) checkTime(time);
  const price = quotes.USD.price || null; // a price of 0 is none
  if (price === null) {
    // Only a coin that is traded nowhere any more has none.
    if (isActive !== false || held?.data.quotes.USD.price) throw new Implausible('Price', 'no price');
  } else if (!isPrice(price)) throw new Implausible('Price', `a price of ${price}`);
  const usd = withoutNegative(quotes.USD, AMOUNTS);
  return {
    ...withoutNegative(ticker, SUPPLIES),
    ...known(labels, ticker),
    quotes: { USD: { ...usd, price } },
  };
}

/** A coin's name may be written in many ways. A symbol of its own tells whose figures these are. */
function known(labels: Labels | undefined, { symbol }: Ticker): Labels | undefined {
  if (!labels?.symbol.trim() || !labels.name.trim()) return undefined;
  if (symbolKey(labels.symbol) === symbolKey(symbol)) return { name: labels.name, symbol: labels.symbol };
  throw new Implausible('Identity', `the symbol ${shown(symbol)} in place of ${shown(labels.symbol)}`);
}

function checkTime(time: string | null): void {
  if (time === null) return;
  if (Date.parse(time) > Date.now() + MAX_CLOCK_LEAD_MS) {
    throw new Implausible('Time', `a time in the future: ${time}`);
  }
}

function withoutNegative<T extends object>(source: T, names: readonly (keyof T)[]): T {
  const impossible = names.filter((name) => Number(source[name]) < 0);
  return impossible.length === 0
    ? source
    : { ...source, ...Object.fromEntries(impossible.map((name) => [name, null])) };
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
