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
  return charts.map(({ coin, series: candles, price, quote, change }) => {
    const isWhole = candles[0]?.time === grid[0];
    // What the chart of the coin alone says of the same time holds here too, so the line ends there.
    const base = isWhole && price !== undefined && change !== null ? price / (1 + change / 100) : undefined;
    const series = percentSeries(candles, grid, base);
    return { coin, series, change: series.at(-1)?.percent ?? null, price, quote };
  });
}

/**
 * Closes in percent of `start`, or of the first price on the grid (ascending), which is what the candle there opened at. The line
 * begins at 0 %.
 */
export function percentSeries(
  series: readonly SeriesCandle[],
  grid: readonly number[],
  start?: number,
): PercentPoint[] {
  const [from] = grid;
  const end = series.at(-1)?.time;
  if (from === undefined || end === undefined) return [];
  const points: PercentPoint[] = [];
  let base = start;
  let next = 0;
  for (const time of grid) {
    if (time > end) break;
    while ((series[next]?.time ?? Number.POSITIVE_INFINITY) <= time) next += 1;
    const candle = series[next - 1];
    if (!candle) continue;
    base ??= candle.time === time ? candle.open : candle.close;
    if (base > 0) points.push({ time, percent: (candle.close / base - 1) * 100 });
  }
  const [first, ...others] = points;
  return first && others.length > 0 ? [{ ...first, percent: 0 }, ...others] : points;
}
