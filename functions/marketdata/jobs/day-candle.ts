import { closed, foldCandles } from '../../../shared/marketdata/store/fold-samples.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/marketdata/store/reader.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';

/** The candle of a day that is over, of its hours; none if there are none. */
export function dayCandles(hours: readonly StoredCandle[], intervalSeconds: number): readonly StoredCandle[] {
  const day = foldCandles(hours, { stepMs: DAY_MS, shorterMs: HOUR_MS, until: Number.POSITIVE_INFINITY });
  return day ? [closed(day, intervalSeconds * 1000, DAY_MS)] : [];
}
