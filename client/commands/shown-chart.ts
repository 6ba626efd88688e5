import type { ChartStyle } from './command.ts';
import { converted, convertedSeries } from './currency/conversion.ts';
import type { Quote } from './format/numbers.ts';
import { rangeNameOf } from './parse/ranges.ts';
import { type Provenance, together } from './provenance.ts';
import type { ChartResult } from './result.ts';
import { periodOf, type SeriesCandle, secondsOf, toSeries } from './series.ts';
import type { KnownTicker } from './tickers.ts';

/** A chart as it is shown: candles that end at the price which the coin's ticker tells, in one currency. */
export interface ShownChart {
  readonly series: readonly SeriesCandle[];
  /** The price now, or at the end of a time that is over; undefined if there is none. */
  readonly price: number | undefined;
  /** In percent; null if there is none. Of 1D, 7D, 1M and 1Y the ticker's, else from the first open to the price. */
  readonly change: number | null;
  /** The time that the change is of: `24h`, `30d`, `90d`. */
  readonly period: string;
  /** Whether the change is the ticker's, as all lists have it. */
  readonly isTickersChange: boolean;
  readonly quote: Quote;
  /** Of candles and price together: the weaker quality, the price's time. */
  readonly provenance: Provenance;
}

/**
 * Candles and ticker as one truth. A coin's price is its ticker's, so a chart that reaches up to now has it as its price,
 * and the candle that is running then has it as its close. Prices in bitcoin have no ticker.
 */
export function shownChart({ data, command, ticker, conversion, provenance }: Chart): ShownChart {
  const candles = toSeries(data.data);
  const quote = data.quote === 'btc' ? 'btc' : (conversion?.currency ?? 'usd');
  const last = candles.at(-1);
  const priced = last && data.quote === 'usd' ? pricedAt(ticker) : undefined;
  const isRunning = priced !== undefined && last !== undefined && isIn(last, data.interval, priced.time);
  const { start, end } = command.range;
  const reachesNow =
    isRunning || (start === undefined && end === undefined && priced && last && priced.time > last.time);
  const ended = isRunning ? [...candles.slice(0, -1), endingAt(last, priced.price)] : candles;
  const series = convertedSeries(ended, conversion);
  const price = reachesNow && priced ? converted(priced.price, conversion) : series.at(-1)?.close;
  const told = reachesNow ? tickerChange(command.range, ticker) : undefined;
  return {
    series,
    price,
    change: told?.change ?? changeTo(price, series),
    period: told?.period ?? periodOf(series, data.interval),
    isTickersChange: told !== undefined,
    quote,
    provenance:
      reachesNow && ticker
        ? { ...together([provenance, ticker.provenance]), madeAt: ticker.provenance.madeAt }
        : provenance,
  };
}

/** Candles by default where there are some, a line where they would be drawn from single prices or be compared. */
export function styleOf({ command, provenance, compared }: ChartResult): ChartStyle {
  if (compared.length > 0) return 'line';
  return command.style ?? (provenance.quality === 'derived' ? 'line' : 'candles');
}

type Chart = Pick<ChartResult, 'data' | 'command' | 'ticker' | 'conversion' | 'provenance'>;

/** The price of a ticker in US dollars, with its time in seconds since the epoch. */
function pricedAt(ticker: KnownTicker | undefined) {
  const price = ticker?.data.quotes.USD.price;
  const madeAt = ticker?.provenance.madeAt;
  return typeof price === 'number' && madeAt !== undefined ? { price, time: madeAt / 1000 } : undefined;
}

const tickerPeriods = { '1d': '24h', '7d': '7d', '1m': '30d', '1y': '1y' } as const;

/** The ticker's change of the range; undefined if it has none. */
function tickerChange(range: Chart['command']['range'], ticker: KnownTicker | undefined) {
  const name = rangeNameOf(range);
  if (name === undefined || name === '3m' || name === 'all') return undefined;
  const period = tickerPeriods[name];
  const change = ticker?.data.quotes.USD[`percent_change_${period}`];
  return typeof change === 'number' ? { period, change } : undefined;
}

function isIn(candle: SeriesCandle, interval: string, time: number): boolean {
  return time >= candle.time && time < candle.time + secondsOf(interval);
}

function changeTo(price: number | undefined, [first]: readonly SeriesCandle[]): number | null {
  return price === undefined || !first?.open ? null : (price / first.open - 1) * 100;
}

function endingAt(candle: SeriesCandle, price: number): SeriesCandle {
  const { high, low } = candle;
  return { ...candle, close: price, high: Math.max(high, price), low: Math.min(low, price) };
}
