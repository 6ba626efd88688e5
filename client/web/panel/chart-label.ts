import { countOf } from '../../commands/format/chart.ts';
import { coinTitle } from '../../commands/format/coin.ts';
import type { ChartResult } from '../../commands/result.ts';
import { type ShownChart, styleOf } from '../../commands/shown-chart.ts';
import { priceText } from './headline.ts';

/** A chart in words, for who does not see it; `name` is its coin's. */
export function chartLabel(name: string, result: ChartResult, chart: ShownChart): string {
  const { interval } = result.data;
  const style = styleOf(result);
  const kind = style === 'line' ? 'Line chart' : 'Candlestick chart';
  const others = result.compared.map(({ coin }) => coinTitle(coin));
  const against = others.length > 0 ? ` compared with ${others.join(', ')}` : '';
  const count = countOf(chart.series.length, interval, style);
  return `${kind} of ${name}${against}, ${count}, ${priceText(chart)}. Arrow keys move from candle to candle.`;
}
