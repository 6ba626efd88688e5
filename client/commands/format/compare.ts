import { comparedSeries } from '../compare.ts';
import { together } from '../provenance.ts';

import type { ChartResult } from '../result.ts';
import { shownChart } from '../shown-chart.ts';
import { countOf } from './chart.ts';
import { coinNotes } from './coin.ts';
import { formatPercent, formatPrice, NOT_AVAILABLE } from './numbers.ts';
import { toneOf } from './price.ts';
import { sourceLine } from './source.ts';
import { clean, displayWidth, fitted, type Line, span, type Tone } from './text.ts';

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
