import type { Coin } from './coins.ts';
import { converted } from './currency.ts';
import type { Quote } from './format/numbers.ts';
import { type Line, span } from './format/text.ts';
import { rangeNameOf } from './parse/table.ts';
import { type Provenance, together } from './provenance.ts';
import type { ChartResult, ChartStyle } from './result.ts';
import { convertedSeries, periodOf, type SeriesCandle, secondsOf, toSeries } from './series.ts';
import { sourceLine } from './sources.ts';
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

/** The change of a coin since the beginning of a comparison, at one time. */
interface PercentPoint {
  /** In whole seconds since the epoch, UTC. */
  readonly time: number;
  readonly percent: number;
}

/** A coin of several on the one scale that they share: percent since the beginning. */
export interface ComparedSeries {
  readonly coin: Coin;
  /** On the time grid of all; empty if the coin has no prices in the time of the others. */
  readonly series: readonly PercentPoint[];
  /** From the beginning of the comparison to the last price, in percent; null if there is none. */
  readonly change: number | null;
  /** The time that the change is of: `30d`. */
  readonly period: string;
  /** The price now, or at the end of a time that is over; undefined if there is none. */
  readonly price: number | undefined;
  readonly quote: ShownChart['quote'];
}

/**
 * The coin of a chart and those that it is compared with, in the order of the command. They begin where all of them have
 * candles, and have the times of any of them; one without a candle at a time keeps its last price, up to its own end.
 */
export function comparedSeries(result: ChartResult): readonly ComparedSeries[] {
  const { command, conversion } = result;
  const charts = [result, ...result.compared].map((candles) => ({
    coin: candles.coin,
    // Of the dollar prices in another currency changes in percent are the same.
    ...shownChart({ ...candles, command, conversion }),
  }));
  const starts = charts.flatMap(({ series: [first] }) => (first ? [first.time] : []));
  const start = Math.max(...starts);
  const times = new Set(charts.flatMap(({ series }) => series.map(({ time }) => time)));
  const grid = [...times].filter((time) => time >= start).sort((a, b) => a - b);
  return charts.map(({ coin, series: candles, price, change, period, quote }) => {
    // The price that the change is from, so that the line ends at the change which is told of the coin.
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
 * Closes in percent of `base`, else of the price on the first time of the grid (ascending), which is what the candle there
 * opened at. The first point is that price: 0 %.
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

/** The source of a chart; without candles nothing is said of what they are made of. */
export function chartSource(
  { data, conversion }: ChartResult,
  { provenance }: Pick<ShownChart, 'provenance'>,
  now: number,
): Line {
  const interval = data.count > 0 ? { interval: data.interval } : {};
  return [span('Source: ', 'muted'), ...sourceLine(provenance, { now, conversion, ...interval })];
}
