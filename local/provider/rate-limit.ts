const WINDOW_MS = 1000;

/** Says of each arriving request whether it is within `perSecond` requests of the running second. */
export function createRateLimit(perSecond: number): (nowMs: number) => boolean {
  let windowStart = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return function isWithin(nowMs) {
    if (nowMs - windowStart >= WINDOW_MS || nowMs < windowStart) {
      windowStart = nowMs;
      taken = 0;
    }
    taken += 1;
    return taken <= perSecond;
  };
}
