import type { ChartStyle } from './command.ts';
import { converted, convertedSeries } from './currency/conversion.ts';
import type { Quote } from './format/numbers.ts';
import { type Provenance, together } from './provenance.ts';
import type { ChartResult } from './result.ts';
import { type SeriesCandle, secondsOf, toSeries } from './series.ts';
import type { KnownTicker } from './tickers.ts';

/** A chart as it is shown: candles that end at the price which the coin's ticker tells, in one currency. */
export interface ShownChart {
  readonly series: readonly SeriesCandle[];
  /** The price now, or at the end of a time that is over; undefined if there is none. */
  readonly price: number | undefined;
  /** In percent: the ticker's own over a time that it has, otherwise from the first open to that price; null if there is none. */
  readonly change: number | null;
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
  return {
    series,
    price,
    change: (reachesNow ? tickerChange(ticker, series, data.interval) : null) ?? changeTo(price, series),
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

function isIn(candle: SeriesCandle, interval: string, time: number): boolean {
  return time >= candle.time && time < candle.time + secondsOf(interval);
}

/** What the ticker says of the time of a chart, so that one label has one number wherever it stands. */
function tickerChange(ticker: KnownTicker | undefined, series: readonly SeriesCandle[], interval: string) {
  const [first, last] = [series[0], series.at(-1)];
  const usd = ticker?.data.quotes.USD;
  if (!usd || !first || !last) return null;
  const hours = (last.time - first.time + secondsOf(interval)) / 3600;
  if (hours === 24) return usd.percent_change_24h;
  if (hours === 168) return usd.percent_change_7d;
  if (hours === 720) return usd.percent_change_30d;
  return hours === 8760 ? usd.percent_change_1y : null;
}

function changeTo(price: number | undefined, [first]: readonly SeriesCandle[]): number | null {
  return price === undefined || !first?.open ? null : (price / first.open - 1) * 100;
}

function endingAt(candle: SeriesCandle, price: number): SeriesCandle {
  const { high, low } = candle;
  return { ...candle, close: price, high: Math.max(high, price), low: Math.min(low, price) };
}
