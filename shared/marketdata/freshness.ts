/** How long data is fresh, and how long it may be served as stale: decided here and nowhere else. */
import { DAY_MS, HOUR_MS, MAX_CLOCK_LEAD_MS, MINUTE_MS } from '../platform/time.ts';

/** The lifetimes of stored data, in milliseconds. */
export const lifetimes = {
  /** A ticker is stale for longer than a usual outage. How long it is fresh is a setting, TICKER_FRESH_SECONDS. */
  ticker: {
    staleForMs: 12 * HOUR_MS,
    /** A price this old when it is fetched belongs to a coin that is hardly traded, and is not current. */
    oldAfterMs: HOUR_MS,
  },
  /** Data (or a 404) of a coin that the registry lists as inactive: it is no longer traded and hardly changes. */
  inactiveMs: 7 * DAY_MS,
  /**
   * Candles are fresh until the running interval closes, or for `runningMs`: then the running candle is too old to count as
   * fresh, unless a newer price is available. The earlier candles stay valid.
   */
  history: { runningMs: 2 * HOUR_MS },
  /** The intervals for which a snapshot is served as fresh: after two, the next one is a whole interval late. */
  snapshot: { intervals: 2 },
  /** New data is compared with older data for this long; by then it is clear which of the two is wrong. */
  comparedForMs: 2 * DAY_MS,
  /** A 404 for a coin when no registry can say whether the coin exists. */
  unknownCoinMs: MINUTE_MS,
  /** A 404 for a coin that the registry lists, a refusal of the plan, or a ticker under an unknown symbol. */
  refusalMs: HOUR_MS,
} as const;

/** A request waits this long for a refresh that is paid for before it gets the stale entry. */
export const PAID_WAIT_MS = 2_000;

/**
 * Whether data is past its lifetime, was already old when it was fetched, or was fetched in the future: then a clock is wrong, and
 * its age is unknown.
 */
export function isStale(
  {
    freshUntil,
    storedAt,
    madeAt,
  }: {
    /** The end of its lifetime. All times are milliseconds since the epoch. */
    readonly freshUntil: number;
    /** When it was fetched, and when its source made it, which may be much earlier. */
    readonly storedAt?: number;
    readonly madeAt?: number | undefined;
  },
  now = Date.now(),
): boolean {
  const wasOld = storedAt !== undefined && (madeAt ?? 0) < storedAt - lifetimes.ticker.oldAfterMs;
  const isFuture = storedAt !== undefined && storedAt > now + MAX_CLOCK_LEAD_MS;
  return now >= freshUntil || wasOld || isFuture;
}
