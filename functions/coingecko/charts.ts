/** `market_chart`, `market_chart/range` and `ohlc`: the history of a coin in one currency. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { BaseCandle } from '../../shared/marketdata/candles.ts';
import {
  listed,
  type Provenance,
  provenanceOf,
  setOriginHeaders,
  weakest,
} from '../../shared/marketdata/provenance.ts';
import { type Chart, chart } from '../../shared/marketdata/serve/chart.ts';
import type { ChartOptions } from '../../shared/marketdata/serve/complete-rows.ts';
import { currencyRates } from '../../shared/marketdata/serve/currency-rates.ts';
import { type BaseInterval, windowBetween } from '../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { historyDemand } from '../../shared/providers/demand.ts';
import { type Coin, coinInPath } from './coins.ts';
import { type Currency, wantedCurrency } from './currencies.ts';
import { invalid, moment, parameter, precisionOf, required, rounded } from './request.ts';

/** Points of candles of one length. Times in milliseconds since the epoch. */
interface Span {
  readonly base: BaseInterval;
  /** Base candles in a candle; 1 by default. */
  readonly size?: number;
  readonly from: number;
  readonly to: number;
  /** Whether to use only stored data. */
  readonly storedOnly?: boolean;
}

/** The end of a candle, with its figures in the currency. */
export interface Point extends Pick<BaseCandle, 'open' | 'high' | 'low' | 'close' | 'volume' | 'market_cap'> {
  readonly at: number;
}

/** Longer windows are daily. */
const HOURLY_DAYS = 90;
/** Callers who choose the interval get hours up to this window. */
const MOST_HOURLY_DAYS = 100;
/** No coin has an older price. */
const FIRST_DAY = Date.UTC(2010, 0);

/** The chart of the last `days`. */
export async function marketChart(request: AdapterRequest) {
  const { from, now } = daysIn(request.query);
  return series(request, from, now);
}

export async function marketChartRange(request: AdapterRequest) {
  const from = Math.max(moment(request.query, 'from'), FIRST_DAY);
  const to = Math.min(moment(request.query, 'to'), Date.now());
  if (from > to) throw new ApiError(400, 'invalid date range: from must be before to, and not in the future');
  return series(request, from, to);
}

/** Candles, each stamped with its end, by the length of the window: of hours, four hours or four days. */
export async function ohlc(request: AdapterRequest): Promise<number[][]> {
  const { query } = request;
  const currency = await wantedCurrency(request);
  const { from, now, days } = daysIn(query);
  const interval = parameter(query, 'interval');
  const size = interval === 'hourly' || interval === 'daily' || days <= 2 ? 1 : 4;
  const base = interval === 'daily' || (interval !== 'hourly' && days > 30) ? '24h' : '1h';
  const span = { base, size, from, to: now } as const;
  const { points, origin } = await pointsOf(request, await coinInPath(request), currency, span);
  setOriginHeaders(request.headers, origin);
  const precision = precisionOf(query) ?? 'full';
  return points.map(({ at, open, high, low, close }) => [
    at,
    ...[open, high, low, close].map((price) => rounded(price, precision)),
  ]);
}

function daysIn(query: URLSearchParams) {
  const text = required(query, 'days');
  const now = Date.now();
  const all = (now - FIRST_DAY) / DAY_MS;
  const days = text === 'max' ? all : Number(text);
  if (!/^(\d{1,6}(\.\d+)?|max)$/.test(text) || days <= 0) throw invalid('days', text, 'a number from 1, max');
  return { days, from: Math.max(FIRST_DAY, now - days * DAY_MS), now };
}

/** A point at the end of each hour or day, and one for the running interval. */
async function series(request: AdapterRequest, from: number, to: number) {
  const { query } = request;
  const currency = await wantedCurrency(request);
  const coin = await coinInPath(request);
  const interval = parameter(query, 'interval');
  const most = interval === 'hourly' ? MOST_HOURLY_DAYS : HOURLY_DAYS;
  const base = interval === 'daily' || to - from > most * DAY_MS ? '24h' : '1h';
  const precision = precisionOf(query) ?? 'full';
  const { points, origin } = await pointsOf(request, coin, currency, { base, from, to });
  setOriginHeaders(request.headers, origin);
  return {
    prices: points.map(({ at, close }) => [at, rounded(close, precision)]),
    market_caps: points.map(({ at, market_cap }) => [at, market_cap]),
    total_volumes: points.map(({ at, volume }) => [at, volume]),
  };
}

/** The candles that end in a span, as in our own route, with their source. Throws as that does. */
export async function pointsOf(
  request: AdapterRequest,
  coin: Coin,
  currency: Currency,
  span: Span,
): Promise<{ readonly points: Point[]; readonly origin: Provenance }> {
  const { candles, ...from } = await chartOf(request, coin, currency, span);
  const parts = currency.unit?.parts ?? 1;
  const points = candles.flatMap((candle) => {
    const at = endOf(candle);
    if (at < span.from || at > span.to) return [];
    const { open, high, low, close, volume, market_cap } = candle;
    const amount = (value: number | null) => (value === null ? null : value * parts);
    return {
      at,
      ...{ open: open * parts, high: high * parts, low: low * parts, close: close * parts },
      ...{ volume: amount(volume), market_cap: amount(market_cap) },
    };
  });
  return { points, origin: provenanceOf(from) };
}

/** The end of a candle's interval; for the running candle, the time of its newest data. */
function endOf({ time_close }: BaseCandle): number {
  const at = Date.parse(time_close);
  return at % MINUTE_MS === MINUTE_MS - 1_000 ? at + 1_000 : at;
}

/** Hours as far back as there are any, preceded by stored days. */
async function chartOf(
  request: AdapterRequest,
  { entry }: Coin,
  { unit, code }: Currency,
  span: Span,
): Promise<Omit<Chart, 'candles'> & { readonly candles: readonly BaseCandle[] }> {
  const demand = historyDemand(request, entry);
  const readRates = unit ? undefined : () => currencyRates(request.environment, code.toUpperCase());
  const stepMs = span.base === '1h' ? HOUR_MS : DAY_MS;
  const read = (wanted: Span, options: ChartOptions = demand) => {
    // The candle that ends at `from` is the first.
    const window = windowBetween({ size: 1, ...wanted, from: wanted.from - stepMs }, Date.now());
    return chart(request.environment, { id: entry.id, window, unit: unit?.id, readRates }, options);
  };
  if (span.storedOnly) return read(span, { ...demand, open: undefined });
  if (span.base === '24h') return read(span);
  const hours = await read(span).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const first = hours?.candles[0];
  const since = first ? Date.parse(first.time_open) : span.to;
  if (hours && since < span.from + DAY_MS) return hours;
  const earlier = { base: '24h', from: span.from, to: since } as const;
  if (!hours || !first) return read(earlier);
  const days = await read(earlier, { ...demand, open: undefined });
  const before = days.candles.filter((candle) => endOf(candle) <= since);
  return {
    ...hours,
    candles: [...before, ...hours.candles],
    quality: weakest([hours.quality, ...before.map(({ quality }) => quality)]),
    source: listed(hours.source, ...before.map(({ source }) => source)),
  };
}

/** Whether the coin has no such candles, or the plan does not include them. */
function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.isLasting || [400, 404].includes(error.statusCode));
}
