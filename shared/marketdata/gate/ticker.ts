import type { Expected } from '../provider.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import { isPrice, MAX_CLOCK_LEAD_MS } from './bounds.ts';
import { Implausible } from './implausible.ts';

/** Ten times the longest text of the provider. */
const MAX_TEXT_LENGTH = 1000;
const MAX_TIME_LENGTH = 64;
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
  return plausible;
}

/** True if it is older than the one at hand, or hides how old it is. */
export function isOlder(ticker: Ticker, held: Ticker): boolean {
  const heldAt = tickerMadeAt(held);
  return heldAt !== undefined && (tickerMadeAt(ticker) ?? Number.NEGATIVE_INFINITY) < heldAt;
}

/** The same for a row of a list, of which nobody asked for one coin. Throws Implausible. */
export function plausibleRow(ticker: Ticker, { held, isActive }: Expected<Ticker>): Ticker {
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
  return { ...withoutNegative(ticker, SUPPLIES), quotes: { USD: { ...usd, price } } };
}

function checkTime(time: string | null): void {
  if (time === null) return;
  if (time.length > MAX_TIME_LENGTH) throw new Implausible('Text', `a time of ${time.length} characters`);
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
