/** For how long what is known is fresh, and for how long it stands in for what is newer: decided here and nowhere else. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/time.ts';

/** In milliseconds. */
export const lifetimes = {
  /** Longer than an outage usually lasts. How long one is fresh is a setting, TICKER_FRESH_SECONDS. */
  ticker: {
    staleForMs: 12 * HOUR_MS,
    /** A price that is older when it is fetched is that of a coin that is hardly traded, and not what it costs now. */
    oldAfterMs: HOUR_MS,
  },
  /** An answer about a coin that the registry lists as inactive, a 404 too: it is traded no more, and hardly changes. */
  inactiveMs: 7 * DAY_MS,
  /**
   * Fresh until the running interval closes, or for `runningMs`: then the running candle is too old to be told as
   * fresh, unless a newer price is at hand. All but the last candles of an old answer are as good as ever.
   */
  history: { runningMs: 2 * HOUR_MS, emptyMs: 10 * MINUTE_MS, staleForMs: 7 * DAY_MS },
  /** Answers for so many of its intervals: then the next one is missing for a whole interval. */
  snapshot: { intervals: 2 },
  /** For so long new answers are measured by the one at hand; by then one of the two is known to be wrong. */
  comparedForMs: 2 * DAY_MS,
  /** A coin that the provider does not know, and nobody can say whether it should. */
  unknownCoinMs: MINUTE_MS,
  /** A refusal of what the registry lists, or of what the plan does not have. */
  refusalMs: HOUR_MS,
} as const;

/** A request stays with a refresh that is paid for this long, before it takes the stale entry. */
export const PAID_WAIT_MS = 2_000;

/** Whether something is past its lifetime, or was old when it came: the one answer to that question. */
export function isStale(
  {
    freshUntil,
    storedAt,
    madeAt,
  }: {
    /** Until then it is fresh: the next one is not due, or was not missed. Milliseconds since the epoch, as all times. */
    readonly freshUntil: number;
    /** When it was asked for, and when its source made it, where that may have been long before. */
    readonly storedAt?: number;
    readonly madeAt?: number | undefined;
  },
  now = Date.now(),
): boolean {
  const wasOld = storedAt !== undefined && (madeAt ?? 0) < storedAt - lifetimes.ticker.oldAfterMs;
  return now >= freshUntil || wasOld;
}
