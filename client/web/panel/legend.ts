import { formatAmount, formatPrice, type Quote } from '../../commands/format/numbers.ts';
import { formatOpen } from '../../commands/format/time.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import { element } from '../dom.ts';

interface LegendOptions {
  readonly quote: Quote;
  readonly interval: string;
}

/** Date, open, high, low, close and volume of one candle. */
export function legendParts(candle: SeriesCandle, { quote, interval }: LegendOptions): HTMLElement[] {
  const { time, open, high, low, close, volume } = candle;
  const pairs: readonly (readonly [string, string, string])[] = [
    ['O', 'Open', formatPrice(open, quote)],
    ['H', 'High', formatPrice(high, quote)],
    ['L', 'Low', formatPrice(low, quote)],
    ['C', 'Close', formatPrice(close, quote)],
    // Volumes are in dollars, or in their currency, also beside prices in bitcoin.
    ['Vol', 'Volume', formatAmount(volume, quote === 'btc' ? 'usd' : quote)],
  ];
  return [
    element('span', { class: 'when' }, formatOpen(time * 1000, interval)),
    ...pairs.map(([short, long, value]) =>
      element('span', {}, element('abbr', { title: long }, short), ` ${value}`),
    ),
  ];
}
