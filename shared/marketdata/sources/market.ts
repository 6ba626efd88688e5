/** Markets of exchanges. An exchange only uses symbols; `listings.ts` has the coins that the provider states for them. */

/** A market of an exchange: the price of its base in its quote. */
export interface Market {
  /** Its name in the exchange's requests. */
  readonly id: string;
  /** Symbols in upper case, without the exchange's own aliases: `BTC`, `USD`. */
  readonly base: string;
  readonly quote: string;
  /** Only an open market has current prices. */
  readonly isOpen: boolean;
}

/** A market of an exchange, as the provider of coins lists it. */
export interface ListedMarket {
  /** Symbols in upper case, as the provider writes them: `XBT`, `USD`. */
  readonly base: string;
  readonly quote: string;
  /** The coin that is its base. */
  readonly coinId: string;
}

/** A pair of symbols: `BTC/USD`. */
export function pairOf({ base, quote }: Pick<Market, 'base' | 'quote'>): string {
  return `${base}/${quote}`;
}

export interface MarketQuote {
  /** The market's id. */
  readonly market: string;
  /** The price of the last trade, in the market's quote. */
  readonly price: number;
  /** The volume of the last 24 hours, in units of the base. */
  readonly volume: number;
  /** Percent in the last 24 hours; null if the exchange does not report it. */
  readonly change: number | null;
  /** The time of the price, in milliseconds since the epoch; null if the exchange does not report it. */
  readonly at: number | null;
  /** The best offers now, and the range of the last 24 hours, in the market's quote; missing if the exchange does not report them. */
  readonly bid?: number | undefined;
  readonly ask?: number | undefined;
  readonly high?: number | undefined;
  readonly low?: number | undefined;
}

/**
 * A ticker compared with the markets that are known to trade the coin. A price made from markets is never compared with those.
 */
export interface Agreement {
  /** Markets whose price is within 2 % of the ticker's. */
  readonly agreeing: number;
  /** The number of compared markets. */
  readonly of: number;
  /** The difference between the highest and the lowest of them, in percent of their median. */
  readonly spreadPercent: number;
  /** The last trade of each, in USD. */
  readonly prices: { readonly exchange: string; readonly price: number }[];
}

/** The agreement in the JSON of a snapshot's row, which has a checksum; null if it is missing or from an older version. */
export function readAgreement(json: unknown): Agreement | null {
  const { agreeing, of, spreadPercent, prices } = Object(json) as Agreement; // as a job of this version wrote it
  return typeof agreeing === 'number' && Array.isArray(prices)
    ? { agreeing, of, spreadPercent, prices }
    : null;
}

/** See `PARTS.agrees` in `gate/bounds.ts`; here for readers that do not need the gate. */
export const AGREES = 0.02;
/** A tolerance for doubles, in which 1.02 is further from 1 than 0.02. */
const ROUNDING = 1e-9;

/** Whether a price is within this part of the expected one. */
export function isWithin(part: number, price: number, expected: number): boolean {
  return Math.abs(price / expected - 1) <= part + ROUNDING;
}

/** The median of at least one number. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
  const high = sorted[sorted.length >> 1] ?? low; // the same one, if their number is odd
  return (low + high) / 2;
}

/** How markets compare with a price in USD; null: it has no price. */
export function agreementOf(
  price: number | null,
  quotes: readonly Agreement['prices'][number][],
): Agreement | null {
  if (quotes.length === 0) return null;
  const prices = quotes.map((quote) => quote.price);
  const agreeing = prices.filter((one) => price !== null && isWithin(AGREES, one, price)).length;
  const spread = (Math.max(...prices) - Math.min(...prices)) / median(prices);
  return {
    agreeing,
    of: prices.length,
    spreadPercent: Math.round(spread * 1e6) / 1e4,
    prices: quotes.map(({ exchange, price: last }) => ({ exchange, price: last })),
  };
}

/** How markets agree with their own price: a single market, or the one in the middle, confirms nothing. */
export function agreementAmong(
  price: number,
  quotes: readonly Agreement['prices'][number][],
): Agreement | null {
  const sources = agreementOf(price, quotes);
  if (sources === null || sources.of < 2) return null;
  return sources.agreeing < 2 ? { ...sources, agreeing: 0 } : sources;
}
