import type { Coin } from './coins.ts';
import type { ChartResult } from './result.ts';
import type { SeriesCandle } from './series.ts';
import { type ShownChart, shownChart } from './shown-chart.ts';

/** The change of a coin since the beginning of a comparison, at one time. */
export interface PercentPoint {
  /** In whole seconds since the epoch, UTC. */
  readonly time: number;
  readonly percent: number;
}

/** A coin of several on the one scale that they share: percent since the beginning. */
export interface ComparedSeries {
  readonly coin: Coin;
  /** On the time grid of all; empty if the coin has no prices in the time of the others. */
  readonly series: readonly PercentPoint[];
  /** In percent, as the coin's own chart has it; null if there is none. */
  readonly change: number | null;
  /** The price now, or at the end of a time that is over; undefined if there is none. */
  readonly price: number | undefined;
  readonly quote: ShownChart['quote'];
}

/**
 * The coin of a chart and those that it is compared with, in the order of the command. They begin where all of them have
 * candles, and have the times of any of them; one without a candle at a time keeps its last price, up to its own end.
 */
export function comparedSeries(result: ChartResult): readonly ComparedSeries[] {
  const { command, conversion } = result;
  const charts = [result, ...result.compared].map((candles) => ({
    coin: candles.coin,
    // Of the dollar prices in another currency changes in percent are the same.
    ...shownChart({ ...candles, command, conversion }),
  }));
  const starts = charts.flatMap(({ series: [first] }) => (first ? [first.time] : []));
  const start = Math.max(...starts);
  const times = new Set(charts.flatMap(({ series }) => series.map(({ time }) => time)));
  const grid = [...times].filter((time) => time >= start).sort((a, b) => a - b);
  const isWhole = (candles: readonly SeriesCandle[]) => candles[0]?.time === grid[0];
  return charts.map(({ coin, series: candles, price, quote, change }) => {
    const series = percentSeries(candles, grid);
    return {
      coin,
      series,
      change: isWhole(candles) ? change : (series.at(-1)?.percent ?? null),
      price,
      quote,
    };
  });
}

/** Closes in percent of the first price on the grid (ascending), what the candle there opened at: the line begins at 0 %. */
export function percentSeries(series: readonly SeriesCandle[], grid: readonly number[]): PercentPoint[] {
  const [start] = grid;
  const end = series.at(-1)?.time;
  if (start === undefined || end === undefined) return [];
  const points: PercentPoint[] = [];
  let base: number | undefined;
  let next = 0;
  for (const time of grid) {
    if (time > end) break;
    while ((series[next]?.time ?? Number.POSITIVE_INFINITY) <= time) next += 1;
    const candle = series[next - 1];
    if (!candle) continue;
    base ??= candle.time === time ? candle.open : candle.close;
    if (base > 0) points.push({ time, percent: points.length === 0 ? 0 : (candle.close / base - 1) * 100 });
  }
  return points;
}
