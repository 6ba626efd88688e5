import type { ChartStyle } from '../command.ts';

import type { ChartResult } from '../result.ts';
import { type ShownChart, styleOf } from '../shown-chart.ts';
import { coinHeading, coinNotes, coinTitle } from './coin.ts';
import { formatPercent, formatPrice } from './numbers.ts';
import { toneOf } from './price.ts';
import { sourceLine } from './source.ts';
import { type Line, span } from './text.ts';

/** The heading of a chart: which coin and candles, whether another coin may be meant, then last price, change and range. */
export function chartHeading(
  result: ChartResult,
  { series, price, change, period, quote }: ShownChart,
): Line[] {
  const { coin, data } = result;
  const count = countOf(series.length, data.interval, styleOf(result));
  const title = coinHeading(`${coinTitle(coin)}, ${count} in ${quote.toUpperCase()}`, coin);
  const notes = coinNotes(coin);
  if (series.length === 0) return [title, ...notes, [span('No candles in this time.')]];
  const low = formatPrice(Math.min(...series.map((candle) => candle.low)), quote);
  const high = formatPrice(Math.max(...series.map((candle) => candle.high)), quote);
  return [
    title,
    ...notes,
    [
      span(formatPrice(price, quote), 'strong'),
      span(' '),
      span(`${period} `, 'muted'),
      span(formatPercent(change), toneOf(change)),
      span(`  low ${low}, high ${high}`, 'muted'),
    ],
  ];
}

/** The lines below a chart. */
export function chartFooting(result: ChartResult, shown: ShownChart, now: number): Line[] {
  return [chartSource(result, shown, now)];
}

/** The source of a chart; without candles nothing is said of what they are made of. */
export function chartSource(
  { data, conversion }: ChartResult,
  { provenance }: ShownChart,
  now: number,
): Line {
  const interval = data.count > 0 ? { interval: data.interval } : {};
  return [span('Source: ', 'muted'), ...sourceLine(provenance, { now, conversion, ...interval })];
}

/** `30 daily candles`, or `30 daily prices` of a line. */
export function countOf(count: number, interval: string, style: ChartStyle): string {
  const kind = names[interval] ?? interval;
  return `${count} ${kind} ${style === 'line' ? 'price' : 'candle'}${count === 1 ? '' : 's'}`;
}

const names: Readonly<Record<string, string>> = {
  '1h': 'hourly',
  '24h': 'daily',
  '7d': 'weekly',
  '14d': '14-day',
  '30d': '30-day',
  '90d': '90-day',
  '365d': '365-day',
};
