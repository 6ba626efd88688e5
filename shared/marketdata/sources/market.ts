/** Markets of exchanges. An exchange knows symbols only; `source-map.ts` says which coin a market trades. */

/** A market of an exchange: what its base costs, in its quote. */
export interface Market {
  /** As the exchange names it in requests. */
  readonly id: string;
  /** Symbols in upper case, without the exchange's own aliases: `BTC`, `USD`. */
  readonly base: string;
  readonly quote: string;
  /** Only an open market has current prices. */
  readonly isOpen: boolean;
}

export interface MarketQuote {
  /** The market's id. */
  readonly market: string;
  /** Of the last trade, in the market's quote. */
  readonly price: number;
  /** Traded in the last 24 hours, in units of the base. */
  readonly volume: number;
  /** Percent in the last 24 hours; null if the exchange does not say. */
  readonly change: number | null;
  /** When that was the price, in milliseconds since the epoch; null if the exchange does not say. */
  readonly at: number | null;
}

/** A ticker beside the markets that are known to trade the coin. No market agrees with a price of its own. */
export interface Agreement {
  /** Markets whose price is within 2 % of the ticker's. */
  readonly agreeing: number;
  /** Markets that were compared. */
  readonly of: number;
  /** Between the lowest and the highest of them, in percent of their median. */
  readonly spreadPercent: number;
  /** The last trade of each, in USD. */
  readonly prices: { readonly exchange: string; readonly price: number }[];
}

/** From the JSON of a snapshot's row, which has a checksum; null if there is none, or one of an older version. */
export function readAgreement(json: unknown): Agreement | null {
  const { agreeing, of, spreadPercent, prices } = Object(json) as Agreement; // as a job of this version wrote it
  return typeof agreeing === 'number' && Array.isArray(prices)
    ? { agreeing, of, spreadPercent, prices }
    : null;
}

/** How far a market may be off a coin's ticker, as parts of its price: to agree, and beyond which it is another coin. */
export const OFF = { agrees: 0.02, far: 0.05 } as const;

/** 1.02 is farther from 1 than 0.02, as doubles have it. */
const ROUNDING = 1e-9;

/** Whether a price is no farther off the expected one than this part of it. */
export function isWithin(part: number, price: number, expected: number): boolean {
  return Math.abs(price / expected - 1) <= part + ROUNDING;
}

/** Of at least one number. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [low = Number.NaN, high = low] = [
    sorted[(sorted.length - 1) >> 1], // the same one twice, if their number is odd
    sorted[sorted.length >> 1],
  ];
  return (low + high) / 2;
}
