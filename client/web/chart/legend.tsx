import { formatAmount, formatPercent, formatPrice, type Quote } from '../../commands/format/numbers.ts';
import { clean } from '../../commands/format/text.ts';
import { formatOpen } from '../../commands/format/time.ts';
import type { SeriesCandle } from '../../commands/series.ts';
import type { ComparedSeries } from '../../commands/shown-chart.ts';
import { Change } from '../app/parts.tsx';
import type { Drawn } from './chart-view.ts';

interface LegendProps {
  readonly drawn: Drawn;
  /** The time under the crosshair; undefined: the last one. */
  readonly time: number | undefined;
}

/** The values under the crosshair, or the last ones. */
export function Legend({ drawn: { series, quote, compared, interval }, time }: LegendProps) {
  if (compared.length > 0) {
    return (
      <p class="legend">
        <span class="when">{whenText(compared, time, interval)}</span>
        {compared.map((each, index) => (
          <span class="compared" title={clean(each.coin.name)}>
            <i class={`stroke stroke-${index + 1}`} aria-hidden="true" />
            {clean(each.coin.symbol)} <Change percent={percentAt(each, time)} />
          </span>
        ))}
      </p>
    );
  }
  const candle = series.find((each) => each.time === time) ?? series.at(-1);
  if (!candle) return <p class="legend">No candles in this time.</p>;
  return (
    <p class="legend">
      <span class="when">{openText(candle.time, interval)}</span>
      {valuesOf(candle, quote).map(([short, long, value]) => (
        <span>
          <abbr title={long}>{short}</abbr> {value}
        </span>
      ))}
    </p>
  );
}

/** The legend's values for screen readers: `31 Jan: open $1.00, high …`. */
export function candleText({ series, quote, compared, interval }: Drawn, time: number): string {
  if (compared.length > 0) {
    const values = compared.map((each) => `${clean(each.coin.name)} ${formatPercent(percentAt(each, time))}`);
    return `${whenText(compared, time, interval)}: ${values.join(', ')}`;
  }
  const candle = series.find((each) => each.time === time);
  if (!candle) return '';
  const values = valuesOf(candle, quote).map(([, long, value]) => `${long.toLowerCase()} ${value}`);
  return `${openText(time, interval)}: ${values.join(', ')}`;
}

/** Short name, long name and value. */
function valuesOf({ open, high, low, close, volume }: SeriesCandle, quote: Quote) {
  return [
    ['O', 'Open', formatPrice(open, quote)],
    ['H', 'High', formatPrice(high, quote)],
    ['L', 'Low', formatPrice(low, quote)],
    ['C', 'Close', formatPrice(close, quote)],
    // Volumes are in dollars or their currency, even beside prices in bitcoin.
    ['Vol', 'Volume', formatAmount(volume, quote === 'btc' ? 'usd' : quote)],
  ] as const;
}

function percentAt({ series, change }: ComparedSeries, time: number | undefined): number | null {
  if (time === undefined) return change;
  return series.find((point) => point.time === time)?.percent ?? null;
}

function whenText([own]: readonly ComparedSeries[], time: number | undefined, interval: string): string {
  const at = time ?? own?.series[0]?.time;
  if (at === undefined) return '';
  return `${time === undefined ? 'since ' : ''}${openText(at, interval)}`;
}

/** When a candle opened, with the year if it is not the current one. */
function openText(time: number, interval: string): string {
  const text = formatOpen(time * 1000, interval);
  const year = new Date(time * 1000).getUTCFullYear();
  const isPlain = interval === '1h' || year === new Date().getUTCFullYear() || text.endsWith(String(year));
  return isPlain ? text : `${text} ${year}`;
}
