import { coinHeading, coinNotes, coinTitle } from '../coins.ts';
import { together } from '../provenance.ts';
import type { ChartResult, ChartStyle } from '../result.ts';
import { comparedSeries, type ShownChart, shownChart, styleOf } from '../shown-chart.ts';
import { sourceLine } from '../sources.ts';
import { formatPercent, formatPrice, NOT_AVAILABLE } from './numbers.ts';
import { toneOf } from './price.ts';
import { clean, displayWidth, fitted, type Line, span, type Tone } from './text.ts';

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

const lineTones = ['line1', 'line2', 'line3', 'line4', 'line5'] as const;
const MAX_SYMBOL = 10;

/** The colour of a coin's line and symbol, by its place in the command. */
export function lineTone(index: number): Tone {
  return lineTones[index % lineTones.length] ?? 'line1';
}

/** The coins that are compared, then a line for each: symbol, price, and its change with the period that it is of. */
export function comparedHeading(result: ChartResult): Line[] {
  const coins = comparedSeries(result);
  const { interval } = result.data;
  const count = Math.max(...coins.map(({ series }) => series.length));
  const symbols = coins.map(({ coin }) => clean(coin.symbol));
  const prices = coins.map(({ price, quote }) =>
    price === undefined ? NOT_AVAILABLE : formatPrice(price, quote),
  );
  const symbolWidth = Math.min(MAX_SYMBOL, Math.max(...symbols.map(displayWidth)));
  const priceWidth = Math.max(...prices.map((price) => price.length));
  return [
    [span(`${symbols.join(', ')}: ${countOf(count, interval, 'line')} in percent`, 'strong')],
    ...coins.map(({ series, change, period }, index): Line => {
      const symbol = span(fitted(symbols[index] ?? '', symbolWidth), lineTone(index));
      if (series.length === 0) return [symbol, span('  no prices in this time', 'muted')];
      return [
        symbol,
        span(`  ${(prices[index] ?? '').padStart(priceWidth)}`, 'strong'),
        span(`  ${period} `, 'muted'),
        span(formatPercent(change), toneOf(change)),
      ];
    }),
  ];
}

/** The sources of all coins together, and which coins were taken. */
export function comparedFooting(result: ChartResult, now: number): Line[] {
  const { command, conversion, compared, data } = result;
  const candles = [result, ...compared];
  const provenance = together(candles.map((each) => shownChart({ ...each, command, conversion }).provenance));
  const interval = candles.some((each) => each.data.count > 0) ? { interval: data.interval } : {};
  return [
    [span('Source: ', 'muted'), ...sourceLine(provenance, { now, conversion, ...interval })],
    ...candles.flatMap(({ coin }) => coinNotes(coin)),
  ];
}
