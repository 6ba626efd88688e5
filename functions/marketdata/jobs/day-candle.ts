import { dayOf } from '../../../shared/marketdata/store/exact-hours.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';

/** The candle of a day that is over, of its hours; none if there are none. */
export function dayCandles(hours: readonly StoredCandle[], intervalSeconds: number): readonly StoredCandle[] {
  const day = dayOf(hours, { intervalMs: intervalSeconds * 1000, until: Number.POSITIVE_INFINITY });
  return day ? [day] : [];
}
