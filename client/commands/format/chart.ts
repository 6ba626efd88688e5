import { coinHeading, coinNotes, coinTitle } from '../coins.ts';
import { together } from '../provenance.ts';
import type { ChartResult, ChartStyle } from '../result.ts';
import { chartSource, comparedSeries, type ShownChart, shownChart, styleOf } from '../shown-chart.ts';
import { formatPrice, NOT_AVAILABLE } from './numbers.ts';
import { changeSpan } from './price.ts';
import { type Column, tableLines } from './table.ts';
import { clean, type Line, span, type Tone } from './text.ts';

/** The heading of a chart: its coin and candles, whether another coin may be meant, then last price, change and range. */
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
      changeSpan(change),
      span(`  low ${low}, high ${high}`, 'muted'),
    ],
  ];
}

/** `30 daily candles`, or `30 daily prices` for a line. */
function countOf(count: number, interval: string, style: ChartStyle): string {
  const kind = names[interval] ?? interval.replace('d', '-day');
  return `${count} ${kind} ${style === 'line' ? 'price' : 'candle'}${count === 1 ? '' : 's'}`;
}

const names: Readonly<Record<string, string>> = { '1h': 'hourly', '24h': 'daily', '7d': 'weekly' };

const lineTones = ['line1', 'line2', 'line3', 'line4', 'line5'] as const;

/** The colour of a coin's line and symbol, by its position in the command. */
export function lineTone(index: number): Tone {
  return lineTones[index % lineTones.length] ?? 'line1';
}

/** The compared coins, then a line for each: symbol, price, and its change with the change's period. */
export function comparedHeading(result: ChartResult): Line[] {
  const coins = comparedSeries(result).map((each, index) => ({ ...each, tone: lineTone(index) }));
  const count = countOf(Math.max(...coins.map(({ series }) => series.length)), result.data.interval, 'line');
  const symbols = coins.map(({ coin }) => clean(coin.symbol)).join(', ');
  const columns: readonly Column<(typeof coins)[number]>[] = [
    { cell: ({ coin, tone }) => [span(clean(coin.symbol), tone)], to: 10 },
    {
      side: 'right',
      cell: ({ price, quote }) => [
        span(price === undefined ? NOT_AVAILABLE : formatPrice(price, quote), 'strong'),
      ],
    },
    {
      cell: ({ series, period, change }) =>
        series.length === 0
          ? [span('no prices in this time', 'muted')]
          : [span(`${period} `, 'muted'), changeSpan(change)],
    },
  ];
  return [
    [span(`${symbols}: ${count} in percent`, 'strong')],
    ...tableLines(columns, coins, Number.POSITIVE_INFINITY),
  ];
}

/** The sources of all coins together, and the coins chosen. */
export function comparedFooting(result: ChartResult, now: number): Line[] {
  const { command, conversion, compared } = result;
  const all = [result, ...compared];
  const charts = all.map((each) => shownChart({ ...each, command, conversion }));
  const provenance = together(charts.map((chart) => chart.provenance));
  const isCurrent = charts.some((chart) => chart.isCurrent);
  const { data } = all.find((each) => each.data.count > 0) ?? result;
  return [
    chartSource({ ...result, data }, { provenance, isCurrent }, now),
    ...all.flatMap(({ coin }) => coinNotes(coin)),
  ];
}
