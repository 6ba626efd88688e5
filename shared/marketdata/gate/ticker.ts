import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import { symbolKey } from '../../registry/fold.ts';
import type { Expected, Labels, Received } from '../provider.ts';
import { type Ticker, tickerMadeAt } from '../ticker.ts';
import { Implausible, isChange, isFar, isPrice, JUMP } from './implausible.ts';

/** Ten times the longest real text. */
const MAX_TEXT_LENGTH = 1000;
/** Amounts that cannot be negative. A negative one is dropped; the price beside it may be right. */
const AMOUNTS = ['volume_24h', 'market_cap', 'ath_price'] as const;
const SUPPLIES = ['circulating_supply', 'total_supply', 'max_supply'] as const;

/** Checks a requested ticker and drops impossible figures beside its price. Throws Implausible. */
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

/** Whether it is older than the known one, or has no usable time. */
export function isOlder(ticker: Ticker, held: Ticker): boolean {
  const heldAt = tickerMadeAt(held);
  return heldAt !== undefined && (tickerMadeAt(ticker) ?? Number.NEGATIVE_INFINITY) < heldAt;
}

/** Checks a row of a list and drops impossible amounts; `checkFigures` checks the figures. Throws Implausible. */
export function plausibleRow(ticker: Ticker, { held, isActive, labels }: Expected<Ticker>): Ticker {
  const { id, name, symbol, first_data_at, last_updated, quotes } = ticker;
  for (const text of [id, name, symbol]) {
    if (text.length > MAX_TEXT_LENGTH) throw new Implausible('Text', `a text of ${text.length} characters`);
    if (text.trim() === '') throw new Implausible('Text', 'no name or no symbol');
  }
  for (const time of [first_data_at, last_updated, quotes.USD.ath_date]) {
    if (time !== null && Date.parse(time) > Date.now() + MAX_CLOCK_LEAD_MS)
      throw new Implausible('Time', `a time in the future: ${time}`);
  }
  const price = quotes.USD.price || null; // a price of 0 counts as none
  if (price === null) {
    // Only a coin that is no longer traded has none.
    if (isActive !== false || held?.data.quotes.USD.price) throw new Implausible('Price', 'no price');
  } else if (!isPrice(price)) throw new Implausible('Price', `a price of ${price}`);
  return {
    ...withoutNegative(ticker, SUPPLIES),
    ...knownLabels(labels, symbol),
    quotes: { USD: { ...withoutNegative(quotes.USD, AMOUNTS), price } },
  };
}

/** Names are written in many ways; the symbol shows which coin the figures belong to. */
function knownLabels(labels: Labels | undefined, symbol: string): Labels | undefined {
  if (!labels?.symbol.trim() || !labels.name.trim()) return undefined;
  if (symbolKey(labels.symbol) === symbolKey(symbol)) return { name: labels.name, symbol: labels.symbol };
  throw new Implausible('Identity', `the symbol ${shown(symbol)} in place of ${shown(labels.symbol)}`);
}

function withoutNegative<T extends object>(source: T, names: readonly (keyof T)[]): T {
  const impossible = names.filter((name) => Number(source[name]) < 0);
  return impossible.length === 0
    ? source
    : { ...source, ...Object.fromEntries(impossible.map((name) => [name, null])) };
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The largest were $2.5e12 and $3e11 a day so far. */
const MAX_MARKET_CAP = 1e14;
const MAX_VOLUME = 1e12;
/** Smaller figures cannot be judged; larger ones move totals and the tops of lists. */
const LARGE_VOLUME = 1e9;
/** A coin without other known data is none of the twenty largest. */
const MAX_UNKNOWN = 1e10;
/** Stablecoins are traded up to five times their market cap in a day. */
const MAX_TURNOVER = 10;
/** The time after which the provider's figure is accepted: the known one may have been false itself. */
const COMPARED_FOR_MS = 3_600_000;
/** Figures below this are rounded too coarsely to compare. */
const LEAST_LEFT = 0.001;

type Usd = Ticker['quotes']['USD'];

/**
 * Checks the figures that totals and sort orders use, of a ticker without negative amounts. `held` is the last good one. Throws
 * Implausible.
 */
export function checkFigures(ticker: Ticker, held: Received<Ticker> | undefined): void {
  const { rank, quotes } = ticker;
  const isRecent = held && Date.now() - held.madeAt < COMPARED_FOR_MS;
  const before = isRecent ? held.data.quotes.USD : undefined;
  if (rank !== null && !(Number.isInteger(rank) && rank >= 0)) refuse('a rank', rank);
  checkChange(quotes.USD, before);
  checkMarketCap(ticker, before);
  checkVolume(quotes.USD, before);
}

function checkChange(usd: Usd, before: Usd | undefined): void {
  const { percent_change_24h: change } = usd;
  if (change !== null && !isChange(change)) refuse('a change of 24 hours', change);
  const dayBefore = priceDayBefore(usd);
  const known = before && priceDayBefore(before);
  if (dayBefore && known && isFar(known, dayBefore))
    refuse('a change of 24 hours', change, `from ${dayBefore} USD, which was ${known}`);
}

function priceDayBefore({ price, percent_change_24h: change }: Usd): number | undefined {
  const left = 1 + (change ?? Number.NaN) / 100;
  return price && left >= LEAST_LEFT ? price / left : undefined;
}

function checkMarketCap(
  { circulating_supply: circulating, total_supply, max_supply, quotes }: Ticker,
  before: Usd | undefined,
): void {
  const { market_cap: cap } = quotes.USD;
  const supply = supplyOf(quotes.USD);
  if (!cap || !supply) return;
  const known = circulating || (before && supplyOf(before));
  const most = Math.max(total_supply ?? 0, max_supply ?? 0) * JUMP;
  if (known && isFar(known, supply)) refuse('a market cap', cap, `which is not that of ${known} coins`);
  if (most && supply > most) refuse('a market cap', cap, 'which is more than that of all coins');
  if (cap > (known || most ? MAX_MARKET_CAP : MAX_UNKNOWN)) refuse('a market cap', cap);
}

/** The number of coins that a market cap implies. */
function supplyOf({ price, market_cap }: Usd): number | undefined {
  return price && market_cap ? market_cap / price : undefined;
}

function checkVolume({ volume_24h: volume, market_cap: cap }: Usd, before: Usd | undefined): void {
  if (!volume || volume <= LARGE_VOLUME) return;
  const known = before?.volume_24h ? before.volume_24h * JUMP : (cap ?? 0) * MAX_TURNOVER;
  const most = known ? Math.min(Math.max(known, LARGE_VOLUME), MAX_VOLUME) : MAX_UNKNOWN;
  if (volume > most) refuse('a volume', volume);
}

function refuse(what: string, figure: number | null, why?: string): never {
  throw new Implausible('Figure', `${what} of ${figure}${why ? `, ${why}` : ''}`);
}
