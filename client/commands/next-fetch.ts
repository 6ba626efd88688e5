/** When a result that stays on the screen is fetched again, on the page and in the terminal. */

/**
 * `max-age` and `age` are rounded to whole seconds: a fetch at the very end of a lifetime may get the same response
 * again, and the newer one only a whole pause later.
 */
const MARGIN_MS = 2000;
const LONGEST_MS = 24 * 3_600_000;
const LONGEST_BACK_OFF_MS = 300_000;

type Outcome =
  | {
      /** When the first part of the result expires: milliseconds since the epoch. */
      readonly freshUntil: number;
    }
  | {
      /** Failures in a row, including this one. */
      readonly failures: number;
      /** The pause that the service demands. */
      readonly retryAfterSeconds?: number | undefined;
    };

/**
 * The time of the next fetch, in milliseconds since the epoch: just after the result expires. Failures double the pause
 * up to five minutes. `shortestMs` is the first of these pauses, and the shortest one for results that have expired on
 * arrival.
 */
export function nextFetchAt(outcome: Outcome, shortestMs: number, now: number): number {
  const pause =
    'freshUntil' in outcome ? outcome.freshUntil + MARGIN_MS - now : pauseAfterFailure(outcome, shortestMs);
  return now + Math.min(LONGEST_MS, Math.max(shortestMs, pause));
}

function pauseAfterFailure(
  { failures, retryAfterSeconds = 0 }: Extract<Outcome, { failures: number }>,
  shortestMs: number,
): number {
  const doubled = shortestMs * 2 ** (failures - 1);
  return Math.max(retryAfterSeconds * 1000, Math.min(LONGEST_BACK_OFF_MS, doubled));
}
