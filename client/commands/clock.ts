/** The time of an answer, which may have lain in a cache, beside a clock that may be wrong. */
import type { Answer } from './api-client.ts';

type Header = Answer<unknown>['header'];

/** Clocks that are kept right differ by less. */
const TOLERANCE_MS = 60_000;

/**
 * The time now, in milliseconds since the epoch: `own`, unless the answer shows that this clock is wrong. `date` is when
 * the service answered, and caches count in `age` how long ago that was (RFC 9111, 4.2.3), so it is at least as late
 * as their sum. It is that late only if nobody kept the answer without counting.
 */
export function timeOf(header: Header, own: number): number {
  const age = Number(header('age') ?? 0);
  const told = Date.parse(header('date') ?? '') + age * 1000;
  const cache = header('x-cache') ?? header('via');
  const isCounted = age > 0 || cache === undefined || /^miss\b/i.test(cache);
  const isSlow = told - own > TOLERANCE_MS;
  const isFast = isCounted && own - told > TOLERANCE_MS;
  return isSlow || isFast ? told : own;
}

/** True if no cache should have given the answer any more; false if it does not say for how long one may. */
export function isPastLifetime(header: Header, now: number): boolean {
  const [, seconds] = /\bmax-age=(\d+)/.exec(header('cache-control') ?? '') ?? [];
  return now - Date.parse(header('date') ?? '') > Number(seconds) * 1000 + TOLERANCE_MS;
}
