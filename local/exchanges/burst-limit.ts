/**
 * Says of each arriving request whether it is within a limit that lets `burst` requests come at once, and is restored
 * at `perSecond`.
 */
export function createBurstLimit(perSecond: number, burst: number): (nowMs: number) => boolean {
  let left = burst;
  let lastMs = Number.NaN;
  return function isWithin(nowMs) {
    if (perSecond === Infinity) return true;
    const restored = Number.isNaN(lastMs) ? 0 : (Math.max(nowMs - lastMs, 0) / 1000) * perSecond;
    left = Math.min(left + restored, burst);
    lastMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
