/** Writes files of many coins' candles, as `candle-files.ts` reads them. */
import { HOUR_MS } from '../../platform/time.ts';
import { type AboutCandles, candleFormat, type DayOfHours } from './candle-files.ts';
import { encodeRows } from './rows-writer.ts';
import { joinSeries } from './series-writer.ts';
import { SourceList } from './source-list.ts';

/** The bytes of a file; each row as `joinSeries` makes it. */
export function encodeCandles(
  { time, intervalSeconds, source, sources }: AboutCandles,
  rows: Iterable<readonly [id: string, series: Buffer]>,
): Buffer {
  const header = { time, seconds: intervalSeconds, source };
  return encodeRows(candleFormat, { header, text: JSON.stringify({ sources }), rows });
}

export function encodeHours({ day, intervalSeconds, source, coins }: DayOfHours): Buffer {
  const sources = new SourceList();
  const rows = Array.from(coins, ([id, candles]) => {
    const series = joinSeries(undefined, { candles, coverage: undefined }, { stepMs: HOUR_MS, sources });
    return [id, series] as const;
  });
  return encodeCandles({ time: day, intervalSeconds, source, sources: sources.names }, rows);
}
