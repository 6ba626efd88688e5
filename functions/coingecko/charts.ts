/** `market_chart`, `market_chart/range` and `ohlc`: the past of a coin in one currency. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { BaseCandle } from '../../shared/marketdata/candles.ts';
import { storedHistory } from '../../shared/marketdata/own-history.ts';
import { listed, setSourceHeaders, weakest } from '../../shared/marketdata/provenance.ts';
import { type Chart, chart } from '../../shared/marketdata/serve/chart.ts';
import { baseCandle } from '../../shared/marketdata/store/base-rows.ts';
import { type BaseInterval, closeAfter, type Window } from '../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { type Coin, coinInPath } from './coins.ts';
import { type Currency, wantedCurrency } from './currencies.ts';
import { moment, type Precision, parameter, precisionOf, required, rounded } from './request.ts';

interface Span {
  readonly base: BaseInterval;
  readonly from: number;
  /** Exclusive. Milliseconds since the epoch. */
  readonly to: number;
  /** Base candles to a candle; 1 unless told. */
  readonly size?: number;
}

/** The last price that a chart may end with, besides its candles. */
type Point = Pick<BaseCandle, 'close' | 'volume' | 'market_cap'>;

/** Longer windows are daily. */
const HOURLY_DAYS = 90;
/** Who asks for hours gets them up to here. */
const MOST_HOURLY_DAYS = 100;
/** No coin has a price that is older. */
const FIRST_DAY = Date.UTC(2010, 0);
const MAX_DAYS = 366 * 100;

export async function marketChart(request: AdapterRequest) {
  return chartFor(request, await coinInPath(request));
}

/** Of the last `days`. */
export async function chartFor(request: AdapterRequest, coin: Coin) {
  const { query } = request;
  const currency = await wantedCurrency(request);
  const text = required(query, 'days');
  const now = Date.now();
  const days = text === 'max' ? (now - FIRST_DAY) / DAY_MS : daysIn(text);
  return pointsOf(request, coin, currency, { from: now - days * DAY_MS, to: now, days });
}

export async function marketChartRange(request: AdapterRequest) {
  return rangeFor(request, await coinInPath(request));
}

export async function rangeFor(request: AdapterRequest, coin: Coin) {
  const { query } = request;
  const currency = await wantedCurrency(request);
  const now = Date.now();
  const from = Math.max(moment(query, 'from'), FIRST_DAY);
  const to = Math.min(moment(query, 'to'), now);
  if (from > to) throw new ApiError(400, 'invalid date range: from must be before to, and not in the future');
  return pointsOf(request, coin, currency, { from, to, days: (to - from) / DAY_MS });
}

function daysIn(text: string): number {
  const days = Number(text);
  if (/^\d{1,6}(\.\d+)?$/.test(text) && days > 0) return Math.min(days, MAX_DAYS);
  throw new ApiError(400, `invalid days: ${text.slice(0, 40)}; allowed: a number from 1, max`);
}

/** A point at the end of each hour or day, and one of the running one. */
async function pointsOf(
  request: AdapterRequest,
  coin: Coin,
  currency: Currency,
  { from, to, days }: { readonly from: number; readonly to: number; readonly days: number },
) {
  const interval = parameter(request.query, 'interval');
  const most = interval === 'hourly' ? MOST_HOURLY_DAYS : HOURLY_DAYS;
  const base = interval === 'daily' || days > most ? '24h' : '1h';
  const precision = precisionOf(request.query) ?? 'full';
  const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
  // The point at `from` is the close of the interval before it.
  const span = { base, from: from - stepMs, to } as const;
  const known = await completeChart(request, coin, span, currency);
  setSourceHeaders(request.headers, known, known.quality);
  const points = known.candles.flatMap((candle) => {
    const at = endOf(candle);
    const point = at > to || at < from ? undefined : inCurrency(candle, currency, at);
    return point ? [{ at, ...point }] : [];
  });
  const series = (valueOf: (point: Point) => number | null) =>
    points.map((point): [number, number | null] => [point.at, valueOf(point)]);
  return {
    prices: series(({ close }) => rounded(close, precision)),
    market_caps: series(({ market_cap }) => market_cap),
    total_volumes: series(({ volume }) => volume),
  };
}

/** The end of a candle's interval; of the running one, up to when it is known. */
function endOf({ time_close }: BaseCandle): number {
  const at = Date.parse(time_close);
  // The last second of an interval is its end.
  return at % 60_000 === 59_000 ? at + 1_000 : at;
}

/** Hours as far as there are any, and days before them, as they are. */
async function completeChart(
  request: AdapterRequest,
  coin: Coin,
  span: Span,
  { unit }: Currency,
): Promise<Omit<Chart, 'candles'> & { readonly candles: readonly BaseCandle[] }> {
  const daily = { ...span, base: '24h', from: span.from - DAY_MS } as const;
  const hours = await chartOf(request, coin, span, unit?.id).catch((error: unknown) => {
    if (span.base === '24h' || !isMissing(error)) throw error;
    return undefined;
  });
  const first = hours?.candles[0];
  if (!hours || !first) return chartOf(request, coin, daily, unit?.id);
  const since = Date.parse(first.time_open);
  const store = storedHistory(request.environment);
  if (span.base === '24h' || since < span.from + DAY_MS || unit || !store) return hours;
  const before = await store
    .rows(coin.entry.id, { ...daily, to: since }, undefined)
    .catch(() => ({ candles: [] }));
  const now = Date.now();
  const days = before.candles
    .map((candle) => baseCandle(candle, DAY_MS, now))
    .filter((candle) => endOf(candle) <= since);
  return {
    ...hours,
    candles: [...days, ...hours.candles],
    quality: weakest([hours.quality, ...days.map(({ quality }) => quality)]),
    source: listed(hours.source, ...days.map(({ source }) => source)),
  };
}

/** Whether nobody has such candles of the coin, or the plan has none. */
function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.statusCode === 400 || error.statusCode === 404);
}

/** As our own route gives it; `unitId` is the coin that it is quoted in. Throws as that does. */
export async function chartOf(
  { environment, deadline, payer }: AdapterRequest,
  { entry }: Coin,
  { base, from, to, size = 1 }: Span,
  unitId: string | undefined,
): Promise<Chart> {
  const now = Date.now();
  const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
  const longMs = stepMs * size;
  const nextClose = Math.ceil(closeAfter(now, base) / longMs) * longMs;
  const end = Math.min(Math.ceil(to / longMs) * longMs, nextClose);
  const window: Window = {
    ...{ base, stepMs, size },
    from: Math.floor(from / longMs) * longMs,
    to: end,
    closed: end < closeAfter(now, base),
    latest: end === nextClose,
  };
  return chart(
    environment,
    { id: entry.id, window, unit: unitId },
    {
      coin: entry,
      deadline,
      client: payer,
      open: async (purpose) =>
        (await import('../../shared/providers/index.ts')).clientFor(
          environment,
          purpose,
          'candles',
          'prices',
        ),
    },
  );
}

/** A candle's last price and amounts in a currency, by its rate of that time; undefined without one. */
export function inCurrency(candle: BaseCandle, currency: Currency, at: number): Point | undefined {
  const { close, volume, market_cap } = candle;
  const factor = factorOf(currency, at);
  const amount = (value: number | null) => (value === null ? null : value * (factor ?? 0));
  return factor === undefined
    ? undefined
    : { close: close * factor, volume: amount(volume), market_cap: amount(market_cap) };
}

/** Candles in a coin are in units of it already. */
function factorOf({ unit, perDollarAt }: Currency, at: number): number | undefined {
  return unit ? unit.parts : perDollarAt(at);
}

/** Candles, each stamped with its end: of hours, of four hours, or of four days, by the length of the window. */
export async function ohlc(request: AdapterRequest): Promise<number[][]> {
  const { query, headers } = request;
  const currency = await wantedCurrency(request);
  const text = required(query, 'days');
  const coin = await coinInPath(request);
  const now = Date.now();
  const days = text === 'max' ? (now - FIRST_DAY) / DAY_MS : daysIn(text);
  const precision: Precision = precisionOf(query) ?? 'full';
  const from = now - days * DAY_MS;
  const interval = parameter(query, 'interval') ?? intervalOf(days);
  const shape = shapes[interval === 'hourly' ? 'hour' : interval === 'daily' ? 'day' : intervalOf(days)];
  const { candles, quality, ...origin } = await chartOf(
    request,
    coin,
    { ...shape, from, to: now },
    currency.unit?.id,
  );
  setSourceHeaders(headers, origin, quality);
  return candles.flatMap(({ open, high, low, close, ...candle }) => {
    const at = endOf({ open, high, low, close, ...candle });
    const factor = factorOf(currency, at);
    if (factor === undefined || at < from) return [];
    const prices = [open, high, low, close].map((price) => rounded(price * factor, precision));
    return [[at, ...prices]];
  });
}

const shapes = {
  hour: { base: '1h', size: 1 },
  fourHours: { base: '1h', size: 4 },
  day: { base: '24h', size: 1 },
  fourDays: { base: '24h', size: 4 },
} as const;

function intervalOf(days: number): keyof typeof shapes {
  if (days <= 2) return 'hour';
  return days <= 30 ? 'fourHours' : 'fourDays';
}
