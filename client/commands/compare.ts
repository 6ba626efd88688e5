import type { Coin } from './coins.ts';
import type { ChartResult } from './result.ts';
import { periodOf, type SeriesCandle } from './series.ts';
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
  /** From the beginning of the comparison to the last price, in percent; null if there is none. */
  readonly change: number | null;
  /** The time that the change is of: `30d`. */
  readonly period: string;
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
  return charts.map(({ coin, series: candles, price, change, period, quote }) => {
    // The price that the change is from, so that the line ends at the change which is told of the coin.
    const isWhole = candles[0]?.time === start && price !== undefined && change !== null;
    const series = percentSeries(candles, grid, isWhole ? price / (1 + change / 100) : undefined);
    return {
      coin,
      series,
      change: series.at(-1)?.percent ?? null,
      period: isWhole ? period : periodOf(series, result.data.interval),
      price,
      quote,
    };
  });
}

/**
 * Closes in percent of `base`, else of the price on the first time of the grid (ascending), which is what the candle there
 * opened at. The first point is that price: 0 %.
 */
export function percentSeries(
  series: readonly SeriesCandle[],
  grid: readonly number[],
  base?: number,
): PercentPoint[] {
  const end = series.at(-1)?.time;
  if (end === undefined) return [];
  const points: PercentPoint[] = [];
  let from = base;
  let next = 0;
  for (const time of grid) {
    if (time > end) break;
    while ((series[next]?.time ?? Number.POSITIVE_INFINITY) <= time) next += 1;
    const candle = series[next - 1];
    if (!candle) continue;
    from ??= candle.time === time ? candle.open : candle.close;
    if (!(from > 0)) continue;
    const isFirst = points.length === 0 && time !== end;
    points.push({ time, percent: isFirst ? 0 : (candle.close / from - 1) * 100 });
  }
  return points;
}
