import type { Coin } from './coins.ts';
import { type Conversion, converted } from './currency.ts';
import type { Quote } from './format/numbers.ts';
import { type Line, span } from './format/text.ts';
import { rangeNameOf } from './parse/table.ts';
import { type Provenance, together } from './provenance.ts';
import type { ChartResult, ChartStyle } from './result.ts';
import { periodOf, type SeriesCandle, secondsOf, toSeries } from './series.ts';
import { pastConversionText, sourceLine } from './sources.ts';
import type { RatedTicker } from './tickers.ts';

/** A chart for display: candles that end at the ticker's price, in one currency. */
export interface ShownChart {
  readonly series: readonly SeriesCandle[];
  /** The current price, or the one at the end of a past period; undefined if there is none. */
  readonly price: number | undefined;
  /** Whether the price is the current one. */
  readonly isCurrent: boolean;
  /**
   * Percent; null if there is none. In US dollars for 1D, 7D, 1M and 1Y the ticker's change, else that of the shown prices, from the
   * first open to the price.
   */
  readonly change: number | null;
  /** The period of the change: `24h`, `30d`, `90d`. */
  readonly period: string;
  /** Whether the change is the ticker's, as in all lists. */
  readonly isTickersChange: boolean;
  readonly quote: Quote;
  /** The provenance of candles and price together: the weaker quality, the price's time. */
  readonly provenance: Provenance;
}

/**
 * Makes candles and ticker agree. A coin's price is its ticker's, so a chart up to now shows that as its price, and the
 * running candle has it as its close: in a currency at the current rate. Prices in bitcoin have no ticker.
 */
export function shownChart({ data, command, ticker, conversion, provenance }: Chart): ShownChart {
  const candles = toSeries(data.data);
  const { quote } = data;
  const last = candles.at(-1);
  const priced = last && pricedIn(quote, ticker, conversion);
  const isRunning = priced !== undefined && last !== undefined && isIn(last, data.interval, priced.time);
  const { start, end } = command.range;
  const isUpToNow = start === undefined && end === undefined;
  const isCurrent =
    isRunning || (isUpToNow && priced !== undefined && last !== undefined && priced.time > last.time);
  const series = isRunning ? [...candles.slice(0, -1), endingAt(last, priced.price)] : candles;
  const price = isCurrent && priced ? priced.price : series.at(-1)?.close;
  const reported = isCurrent && quote === 'usd' ? tickerChange(command.range, ticker) : undefined;
  return {
    series,
    price,
    isCurrent,
    change: reported?.change ?? changeTo(price, series),
    period: reported?.period ?? periodOf(series, data.interval),
    isTickersChange: reported !== undefined,
    quote,
    provenance:
      isCurrent && ticker
        ? { ...together([provenance, ticker.provenance]), madeAt: ticker.provenance.madeAt }
        : provenance,
  };
}

/** Candles by default; a line for single prices and comparisons. */
export function styleOf({ command, provenance, compared }: ChartResult): ChartStyle {
  if (compared.length > 0) return 'line';
  return command.style ?? (provenance.quality === 'derived' ? 'line' : 'candles');
}

type Chart = Pick<ChartResult, 'data' | 'command' | 'ticker' | 'conversion' | 'provenance'>;

/** A ticker's price in what the candles are in, with its time in seconds since the epoch; undefined if it is not known. */
function pricedIn(quote: string, ticker: RatedTicker | undefined, conversion: Conversion | undefined) {
  const usd = ticker?.data.quotes.USD.price;
  const madeAt = ticker?.provenance.madeAt;
  if (typeof usd !== 'number' || madeAt === undefined) return undefined;
  const time = madeAt / 1000;
  if (quote === 'usd') return { price: usd, time };
  return conversion && isQuote(quote, conversion) ? { price: converted(usd, conversion), time } : undefined;
}

/** Whether prices in `quote` are those of the conversion. */
export function isQuote(quote: string, { currency }: Conversion): boolean {
  return quote.toUpperCase() === currency;
}

const tickerPeriods = { '1d': '24h', '7d': '7d', '1m': '30d', '1y': '1y' } as const;

/** The ticker's change over the range; undefined if it has none. */
function tickerChange(range: Chart['command']['range'], ticker: RatedTicker | undefined) {
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

/** The change of a coin since the start of a comparison, at one time. */
interface PercentPoint {
  /** In whole seconds since the epoch, UTC. */
  readonly time: number;
  readonly percent: number;
}

/** One coin of a comparison on the shared scale: percent since the start. */
export interface ComparedSeries {
  readonly coin: Coin;
  /** Points on the shared time grid; empty if the coin has no prices in the period of the others. */
  readonly series: readonly PercentPoint[];
  /** The change from the start of the comparison to the last price, in percent; null if there is none. */
  readonly change: number | null;
  /** The period of the change: `30d`. */
  readonly period: string;
  /** The current price, or the one at the end of a past period; undefined if there is none. */
  readonly price: number | undefined;
  readonly quote: ShownChart['quote'];
}

/**
 * The chart's coin and those it is compared with, in the order of the command. They start where all of them have
 * candles, and include the times of any of them; a coin without a candle at a time keeps its last price, until its own
 * end.
 */
export function comparedSeries(result: ChartResult): readonly ComparedSeries[] {
  const { command, conversion } = result;
  const charts = [result, ...result.compared].map((candles) => ({
    coin: candles.coin,
    ...shownChart({ ...candles, command, conversion }),
  }));
  const starts = charts.flatMap(({ series: [first] }) => (first ? [first.time] : []));
  const start = Math.max(...starts);
  const times = new Set(charts.flatMap(({ series }) => series.map(({ time }) => time)));
  const grid = [...times].filter((time) => time >= start).sort((a, b) => a - b);
  return charts.map(({ coin, series: candles, price, change, period, quote }) => {
    // The price that the change is measured from, so that the line ends at the coin's reported change.
    const isWhole = candles[0]?.time === start && price !== undefined && change !== null;
    const series = percentSeries(candles, grid, isWhole ? price / (1 + change / 100) : undefined);
    return {
      coin,
      series,
      change: series.at(-1)?.percent ?? null,
      period: isWhole ? period : periodOf(series, result.data.interval),
      price,
      quote,
    };
  });
}

/**
 * Closes in percent of `base`, by default the open of the candle at the first time of the grid (ascending). The first
 * point is that price: 0 %.
 */
export function percentSeries(
  series: readonly SeriesCandle[],
  grid: readonly number[],
  base?: number,
): PercentPoint[] {
  const end = series.at(-1)?.time;
  if (end === undefined) return [];
  const points: PercentPoint[] = [];
  let from = base;
  let next = 0;
  for (const time of grid) {
    if (time > end) break;
    while ((series[next]?.time ?? Number.POSITIVE_INFINITY) <= time) next += 1;
    const candle = series[next - 1];
    if (!candle) continue;
    from ??= candle.time === time ? candle.open : candle.close;
    if (!(from > 0)) continue;
    const isFirst = points.length === 0 && time !== end;
    points.push({ time, percent: isFirst ? 0 : (candle.close / from - 1) * 100 });
  }
  return points;
}

/** The source of a chart after its label. */
export function chartSource(...chart: Parameters<typeof chartOrigin>): Line {
  return [span('Source: ', 'muted'), ...chartOrigin(...chart)];
}

/** The source of a chart; without candles it does not say what they are made of. */
export function chartOrigin(
  { data, conversion }: ChartResult,
  { provenance, isCurrent }: Pick<ShownChart, 'provenance' | 'isCurrent'>,
  now: number,
): Line {
  if (data.count === 0) return sourceLine(provenance, { now });
  const { interval, quote } = data;
  const rates =
    conversion && isQuote(quote, conversion)
      ? [span(`; ${pastConversionText(conversion, isCurrent, now)}`)]
      : [];
  return [...sourceLine(provenance, { now, interval }), ...rates];
}
