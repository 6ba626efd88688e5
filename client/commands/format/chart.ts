import type { Conversion } from '../currency/conversion.ts';
import { providers } from '../providers.ts';
import type { ChartResult } from '../result.ts';
import { changeOf, type SeriesCandle } from '../series.ts';
import { coinNotes, coinTitle } from './coin.ts';
import { formatPercent, formatPrice, type Quote } from './numbers.ts';
import { toneOf } from './price.ts';
import { sourceLine } from './source.ts';
import { type Line, span } from './text.ts';

/** The heading of a chart: which coin and candles, then last price, change and range. */
export function chartHeading(
  { coin, data, conversion }: ChartResult,
  series: readonly SeriesCandle[],
): Line[] {
  const quote = quoteOf(data.quote, conversion);
  const title = span(
    `${coinTitle(coin)}, ${countOf(series.length, data.interval)} in ${quote.toUpperCase()}`,
    'strong',
  );
  const last = series.at(-1);
  if (!last) return [[title], [span('No candles in this time.')]];
  const change = changeOf(series);
  const low = formatPrice(Math.min(...series.map((candle) => candle.low)), quote);
  const high = formatPrice(Math.max(...series.map((candle) => candle.high)), quote);
  return [
    [title],
    [
      span(formatPrice(last.close, quote), 'strong'),
      span(' '),
      span(formatPercent(change), toneOf(change)),
      span(`  low ${low}, high ${high}`, 'muted'),
    ],
  ];
}

/** The lines below a chart: the source, and which coin was taken. */
export function chartFooting(result: ChartResult, now: number): Line[] {
  return [chartSource(result, now), ...coinNotes(result.coin)];
}

/** The source of a chart; without candles nothing is said of what they are made of. */
export function chartSource({ command, data, provenance, conversion }: ChartResult, now: number): Line {
  const { label } = providers[command.protocol];
  const interval = data.count > 0 ? { interval: data.interval } : {};
  return [span('Source: ', 'muted'), ...sourceLine(provenance, { label, now, conversion, ...interval })];
}

/** `30 daily candles`. */
export function countOf(count: number, interval: string): string {
  const kind = names[interval] ?? interval;
  return `${count} ${kind} candle${count === 1 ? '' : 's'}`;
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

/** The currency that candles are shown in. */
export function quoteOf(quote: string, conversion: Conversion | undefined): Quote {
  return quote === 'btc' ? 'btc' : (conversion?.currency ?? 'usd');
}
