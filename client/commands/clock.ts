/** The time of an answer, which may have lain in a cache, beside a clock that may be wrong. */

/** Clocks that are kept right differ by less. */
const TOLERANCE_MS = 60_000;
/** Of an answer that does not say for how long it is true. */
const LIFETIME_SECONDS = 600;

/**
 * The time now, in milliseconds since the epoch: `own`, unless the answer shows that this clock is wrong. `date` is when
 * the service answered, and caches count in `age` how long ago that was (RFC 9111, 4.2.3), so it is at least as late
 * as their sum. It is that late only if nobody kept the answer without counting.
 */
export function timeOf(headers: Headers, own: number): number {
  const age = Number(headers.get('age') ?? 0);
  const told = Date.parse(headers.get('date') ?? '') + age * 1000;
  const cache = headers.get('x-cache') ?? headers.get('via');
  const isCounted = age > 0 || cache === null || /^miss\b/i.test(cache);
  const isSlow = told - own > TOLERANCE_MS;
  const isFast = isCounted && own - told > TOLERANCE_MS;
  return isSlow || isFast ? told : own;
}

/** True if no cache should have given the answer any more; false if it does not say for how long one may. */
export function isPastLifetime(headers: Headers, now: number): boolean {
  const seconds = maxAgeOf(headers) ?? Number.NaN;
  return now - Date.parse(headers.get('date') ?? '') > seconds * 1000 + TOLERANCE_MS;
}

/** For how many milliseconds more an answer that has just arrived may be used. */
export function lifetimeOf(headers: Headers): number {
  const age = Number(headers.get('age') ?? 0);
  return Math.max(0, (maxAgeOf(headers) ?? LIFETIME_SECONDS) - (age > 0 ? age : 0)) * 1000;
}

function maxAgeOf(headers: Headers): number | undefined {
  const [, seconds] = /\bmax-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}
