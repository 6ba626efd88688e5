import type { ComparedSeries } from '../../commands/compare.ts';
import { formatAmount, formatPercent, formatPrice, type Quote } from '../../commands/format/numbers.ts';
import { toneOf } from '../../commands/format/price.ts';
import { clean } from '../../commands/format/text.ts';
import { formatOpen } from '../../commands/format/time.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { ShownChart } from '../../commands/shown-chart.ts';
import { element } from '../dom.ts';
import type { Announcer } from './announcer.ts';

interface Told {
  readonly chart: Pick<ShownChart, 'series' | 'quote'>;
  /** The coin and those that it is compared with; empty if there are none. */
  readonly compared: readonly ComparedSeries[];
  readonly interval: string;
}

export interface Legend {
  readonly element: HTMLElement;
  /** Shows the candle of a time, or else the last one; by key it is to be heard too. */
  tell(told: Told, time: number | undefined, isByKey: boolean): void;
}

/** The values under the crosshair. */
export function createLegend(announcer: Announcer): Legend {
  const place = element('p', { class: 'legend' });
  return {
    element: place,
    tell({ chart: { series, quote }, compared, interval }, time, isByKey) {
      if (compared.length > 0) {
        place.replaceChildren(...comparedParts(compared, time, interval));
        if (isByKey) announcer.say(time === undefined ? '' : comparedText(compared, time, interval));
        return;
      }
      const at = series.find((candle) => candle.time === time) ?? series.at(-1);
      const as = { quote, interval };
      if (at) place.replaceChildren(...legendParts(at, as));
      else place.textContent = 'No candles in this time.';
      if (isByKey) announcer.say(at && time !== undefined ? candleText(at, as) : '');
    },
  };
}

interface LegendOptions {
  readonly quote: Quote;
  readonly interval: string;
}

/** Date, open, high, low, close and volume of one candle. */
function legendParts(candle: SeriesCandle, { quote, interval }: LegendOptions): HTMLElement[] {
  const pairs = valuesOf(candle, quote);
  return [
    element('span', { class: 'when' }, formatOpen(candle.time * 1000, interval)),
    ...pairs.map(([short, long, value]) =>
      element('span', {}, element('abbr', { title: long }, short), ` ${value}`),
    ),
  ];
}

/** The same, to be heard: `31 Jan: open $1.00, high …`. */
function candleText(candle: SeriesCandle, { quote, interval }: LegendOptions): string {
  const values = valuesOf(candle, quote).map(([, long, value]) => `${long.toLowerCase()} ${value}`);
  return `${formatOpen(candle.time * 1000, interval)}: ${values.join(', ')}`;
}

/** Short name, long name and value. */
function valuesOf({ open, high, low, close, volume }: SeriesCandle, quote: Quote) {
  return [
    ['O', 'Open', formatPrice(open, quote)],
    ['H', 'High', formatPrice(high, quote)],
    ['L', 'Low', formatPrice(low, quote)],
    ['C', 'Close', formatPrice(close, quote)],
    // Volumes are in dollars, or in their currency, also beside prices in bitcoin.
    ['Vol', 'Volume', formatAmount(volume, quote === 'btc' ? 'usd' : quote)],
  ] as const;
}

/** A stroke, the symbol and the change of each coin, at a time or at the end. */
function comparedParts(
  compared: readonly ComparedSeries[],
  time: number | undefined,
  interval: string,
): HTMLElement[] {
  return [
    element('span', { class: 'when' }, whenText(compared, time, interval)),
    ...compared.map((each, index) => {
      const percent = percentAt(each, time);
      const title = `${clean(each.coin.name)} (${clean(each.coin.symbol)})`;
      return element(
        'span',
        { class: 'compared', title },
        element('i', { class: `stroke stroke-${index + 1}`, 'aria-hidden': 'true' }),
        element('span', {}, clean(each.coin.symbol)),
        element('span', { class: toneOf(percent) }, formatPercent(percent)),
      );
    }),
  ];
}

/** The same, to be heard. */
function comparedText(
  compared: readonly ComparedSeries[],
  time: number | undefined,
  interval: string,
): string {
  const values = compared.map((each) => `${clean(each.coin.name)} ${formatPercent(percentAt(each, time))}`);
  return `${whenText(compared, time, interval)}: ${values.join(', ')}`;
}

function percentAt({ series, change }: ComparedSeries, time: number | undefined): number | null {
  if (time === undefined) return change;
  return series.find((point) => point.time === time)?.percent ?? null;
}

function whenText([own]: readonly ComparedSeries[], time: number | undefined, interval: string): string {
  const at = time ?? own?.series[0]?.time;
  if (at === undefined) return '';
  return `${time === undefined ? 'since ' : ''}${formatOpen(at * 1000, interval)}`;
}
