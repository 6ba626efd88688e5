/** The outcome of the requests of the measured day. */
export interface Tally {
  fresh: number;
  stale: number;
  /** 429. */
  refused: number;
  /** 502 and 504. */
  failed: number;
  /** Ids that do not exist, and coins that are no longer traded: 404. */
  unknown: number;
  /** Requests for what the fleet has been given before, and how many of them got no answer. */
  promised: number;
  broken: number;
  /** Charts, whatever came of them; those that are `exact`; and candles with a wick that leaves out their open or close. */
  charts: number;
  exact: number;
  badWicks: number;
  /** Seconds since the provider made the ticker. */
  readonly ages: number[];
  /** The same of coins that are in the snapshot or the tail. */
  readonly publishedAges: number[];
  readonly tookMs: number[];
}

export type Counted = { [Name in keyof Tally]: Tally[Name] extends number ? Name : never }[keyof Tally];

export function emptyTally(): Tally {
  return {
    fresh: 0,
    stale: 0,
    refused: 0,
    failed: 0,
    unknown: 0,
    promised: 0,
    broken: 0,
    charts: 0,
    exact: 0,
    badWicks: 0,
    ages: [],
    publishedAges: [],
    tookMs: [],
  };
}

export function known({ fresh, stale, refused, failed }: Tally): number {
  return fresh + stale + refused + failed;
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
