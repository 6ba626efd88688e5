import { MINUTE_MS } from '../../shared/platform/time.ts';

const BAN_MS = 2 * MINUTE_MS;
const LONGEST_BAN_MS = 3 * 24 * 60 * MINUTE_MS;
/** Requests that are told to wait before the address is banned. */
const WARNINGS = 10;

export interface WeightLimit {
  /** Counts a request of this weight. `refusal` is 429, or 418 for those who go on. */
  take(
    weight: number,
    nowMs: number,
  ): { used: number; refusal: { status: 429 | 418; retryAfterMs: number } | undefined };
}

/** Binance's limit: weight within a minute; whoever goes on after a 429 is banned, for longer each time. */
export function createWeightLimit(weightPerMinute: number): WeightLimit {
  let minute = Number.NaN;
  let used = 0;
  let warnings = 0;
  let bannedUntil = Number.NEGATIVE_INFINITY;
  let banMs = BAN_MS;
  return {
    take(weight, nowMs) {
      if (nowMs < bannedUntil) return { used, refusal: { status: 418, retryAfterMs: bannedUntil - nowMs } };
      const current = Math.floor(nowMs / MINUTE_MS);
      if (current !== minute) [minute, used, warnings] = [current, 0, 0];
      used += weight;
      if (used <= weightPerMinute) return { used, refusal: undefined };
      warnings += 1;
      if (warnings <= WARNINGS) {
        return { used, refusal: { status: 429, retryAfterMs: (current + 1) * MINUTE_MS - nowMs } };
      }
      bannedUntil = nowMs + banMs;
      banMs = Math.min(banMs * 2, LONGEST_BAN_MS);
      return { used, refusal: { status: 418, retryAfterMs: bannedUntil - nowMs } };
    },
  };
}
