/** What markets say of a coin's price, as a second source. */
import { type Agreement, isWithin, median } from '../sources/market.ts';
import type { CoinQuote, CoinQuotes } from '../sources/source-map.ts';
import { ONE_MOMENT_MS, PARTS } from './bounds.ts';

/** If a single market contradicts the provider, either may be wrong. */
const MIN_MARKETS = 2;

export interface Opinion {
  /** Null without a market. */
  readonly sources: Agreement | null;
  /** `silent`: no market, or none that can be compared. */
  readonly verdict: 'agrees' | 'contradicts' | 'silent';
  /** The markets' median; undefined without one. */
  readonly middle: number | undefined;
}

/** How markets compare with a price in USD; null: it has no price. */
export function agreementOf(price: number | null, quotes: readonly CoinQuote[]): Agreement | null {
  if (quotes.length === 0) return null;
  const prices = quotes.map((quote) => quote.price);
  const agreeing = prices.filter((one) => price !== null && isWithin(PARTS.agrees, one, price)).length;
  const spread = (Math.max(...prices) - Math.min(...prices)) / median(prices);
  return {
    agreeing,
    of: prices.length,
    spreadPercent: Math.round(spread * 1e6) / 1e4,
    prices: quotes.map(({ exchange, price: last }) => ({ exchange, price: last })),
  };
}

/**
 * The markets' opinion of a coin's price that was made at a time (ms since the epoch). Two markets that are more than a tenth off
 * contradict it. Only prices of one moment are compared so closely: in a crash, a right price lies between the markets' last
 * prices and those before, or further off if it was made minutes before or after them.
 */
export function opinionOf(
  id: string,
  price: number | null,
  madeAt: number,
  quotes: CoinQuotes | undefined,
): Opinion {
  const own = quotes?.coins.get(id) ?? [];
  const sources = agreementOf(price, own);
  if (!quotes || sources === null || price === null) return { sources, verdict: 'silent', middle: undefined };
  const middle = median(own.map((quote) => quote.price));
  const before = quotes.earlier?.takenAt ?? Number.POSITIVE_INFINITY;
  const earlier = madeAt >= before && madeAt <= quotes.takenAt ? quotes.earlier?.medians.get(id) : undefined;
  const isBetween = (part: number) =>
    price >= Math.min(middle, earlier ?? middle) * (1 - part) &&
    price <= Math.max(middle, earlier ?? middle) * (1 + part);
  if (isBetween(PARTS.disputed)) return { sources, verdict: 'agrees', middle };
  const isOfMoment = Math.abs(quotes.takenAt - madeAt) <= ONE_MOMENT_MS;
  const isPossible = isBetween(isOfMoment ? PARTS.disputed : PARTS.disputedLater);
  return { sources, verdict: isPossible || own.length < MIN_MARKETS ? 'silent' : 'contradicts', middle };
}
