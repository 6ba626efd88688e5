/** `market_chart`, `market_chart/range` and `ohlc`: the past of a coin in one currency. */
import type { AdapterRequest } from '../../shared/http/adapter.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { BaseCandle } from '../../shared/marketdata/candles.ts';
import { jointOrigin, setOriginHeaders } from '../../shared/marketdata/provenance.ts';
import { type Chart, chart } from '../../shared/marketdata/serve/chart.ts';
import { type BaseInterval, spanOf } from '../../shared/marketdata/window.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { historyDemand } from '../../shared/providers/demand.ts';
import { type Coin, coinInPath } from './coins.ts';
import { type Currency, wantedCurrency } from './currencies.ts';
import { invalid, moment, parameter, precisionOf, required, rounded } from './request.ts';

/** Points of candles of one length. Times in milliseconds since the epoch. */
interface Span {
  readonly base: BaseInterval;
  /** Base candles to a candle; 1 unless told. */
  readonly size?: number;
  readonly from: number;
  readonly to: number;
}

/** The end of a candle, with its figures in the currency. */
export interface Point extends Pick<BaseCandle, 'open' | 'high' | 'low' | 'close' | 'volume' | 'market_cap'> {
  readonly at: number;
}

/** Longer windows are daily. */
const HOURLY_DAYS = 90;
/** A caller who names the interval gets hours up to here. */
const MOST_HOURLY_DAYS = 100;
/** No coin has an older price. */
const FIRST_DAY = Date.UTC(2010, 0);

/** Of the last `days`. */
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
  const points = await pointsOf(request, await coinInPath(request), currency, { base, size, from, to: now });
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

/** A point at the end of each hour or day, and one of the running one. */
async function series(request: AdapterRequest, from: number, to: number) {
  const { query } = request;
  const currency = await wantedCurrency(request);
  const coin = await coinInPath(request);
  const interval = parameter(query, 'interval');
  const most = interval === 'hourly' ? MOST_HOURLY_DAYS : HOURLY_DAYS;
  const base = interval === 'daily' || to - from > most * DAY_MS ? '24h' : '1h';
  const precision = precisionOf(query) ?? 'full';
  const points = await pointsOf(request, coin, currency, { base, from, to });
  return {
    prices: points.map(({ at, close }) => [at, rounded(close, precision)]),
    market_caps: points.map(({ at, market_cap }) => [at, market_cap]),
    total_volumes: points.map(({ at, volume }) => [at, volume]),
  };
}

/** The candles that end in a span, as our own route gives them, and with the headers of that. Throws as that does. */
export async function pointsOf(
  request: AdapterRequest,
  coin: Coin,
  currency: Currency,
  span: Span,
): Promise<Point[]> {
  const { candles, origin } = await candlesOf(request, coin, currency, span);
  setOriginHeaders(request.headers, jointOrigin([origin, ...rateOf(currency)]) ?? origin);
  return candles.flatMap((candle) => {
    const at = endOf(candle);
    const perDollar = currency.unit ? currency.unit.parts : currency.perDollarAt(at);
    if (perDollar === undefined || at < span.from || at > span.to) return [];
    const { open, high, low, close, volume, market_cap } = candle;
    const amount = (value: number | null) => (value === null ? null : value * perDollar);
    return {
      at,
      ...{ open: open * perDollar, high: high * perDollar, low: low * perDollar, close: close * perDollar },
      ...{ volume: amount(volume), market_cap: amount(market_cap) },
    };
  });
}
