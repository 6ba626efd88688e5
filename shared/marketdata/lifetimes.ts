import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/time.ts';

/** For how long an answer is fresh, stands in for a newer one, or is not asked for again. In milliseconds. */
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
   * fresh, unless a newer price is at hand. All but the last candles of an old answer are as good as ever. */
  history: { runningMs: 2 * HOUR_MS, emptyMs: 10 * MINUTE_MS, staleForMs: 7 * DAY_MS },
  /** Answers for so many of its intervals: then the next one is missing for a whole interval. */
  snapshot: { intervals: 2 },
  /**
   * For so long new answers are measured by the one at hand; by then what they say is the truth, or the one at hand was
   * false itself.
   */
  comparedForMs: 2 * DAY_MS,
  /** A coin that the provider does not know, in one container. */
  unknownCoinMs: MINUTE_MS,
  /** A refusal of what the provider gave before, until it is asked for once more; an older one is none any more. */
  doubtMs: MINUTE_MS,
  doubtedForMs: HOUR_MS,
  /** An answer that cannot be used: asking again soon would give the same, for a request each. */
  unusableMs: 10_000,
  /** A failure that was answered with a stale entry: the next requests take that at once. */
  failureMs: 1_000,
  /** The same between instances: a failure, and what stays refused for a while (unknown coin, not in the plan). */
  sharedFailureMs: 3_000,
  sharedRefusalMs: HOUR_MS,
  /**
   * Until a history that the plan refuses is asked for again, of one coin and if it was refused of a second one too: each
   * time costs a request, and plans change seldom.
   */
  planRefusalMs: HOUR_MS,
  confirmedRefusalMs: 6 * HOUR_MS,
} as const;

/** A request stays with a refresh that is paid for this long, before it takes the stale entry. */
export const STARTED_WAIT_MS = 2_000;
