import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { type Candle, candle } from './candles.ts';
import type { Asset, Market } from './market.ts';
import { checkOhlcv, type Plan } from './plan.ts';
import { readChoice, readLimit, readRange } from './query.ts';

const DEFAULT_LIMIT = 1;
const MAX_LIMIT = 366;

const intervals = new Map([
  ['1h', HOUR_MS],
  ['6h', 6 * HOUR_MS],
  ['12h', 12 * HOUR_MS],
  ['24h', DAY_MS],
]);

/** The facts behind every answer about one coin. */
export interface CoinRequest {
  readonly market: Market;
  readonly asset: Asset;
  readonly query: URLSearchParams;
  readonly plan: Plan;
  readonly nowMs: number;
  /** The last full minute: the time of all figures. */
  readonly lastMs: number;
}

/**
 * `/coins/{id}/ohlcv/historical`: the candles that open from `start` to `end`, oldest first, at most `limit`.
 * Throws InvalidParameters and PlanRefusal.
 */
export function ohlcvHistorical(request: CoinRequest): Candle[] {
  const { asset, query, plan, nowMs, lastMs } = request;
  const intervalMs = readChoice(query, 'interval', intervals, '24h').value;
  const quote = quoteOf(request);
  const limit = readLimit(query, DEFAULT_LIMIT, MAX_LIMIT);
  const { startMs, endMs } = readRange(query, lastMs);
  checkOhlcv(plan, intervalMs, startMs, nowMs);
  const candles: Candle[] = [];
  const firstMs = Math.ceil(Math.max(startMs, asset.firstMs) / intervalMs) * intervalMs;
  for (let openMs = firstMs; openMs <= endMs && candles.length < limit; openMs += intervalMs) {
    candles.push(candle(asset, quote, openMs, intervalMs, lastMs));
  }
  return candles;
}

/** `/coins/{id}/ohlcv/latest`: the last full day. */
export function ohlcvLatest(request: CoinRequest): Candle[] {
  return [candle(request.asset, quoteOf(request), today(request) - DAY_MS, DAY_MS, request.lastMs)];
}

/** `/coins/{id}/ohlcv/today`: the day so far. */
export function ohlcvToday(request: CoinRequest): Candle[] {
  return [candle(request.asset, quoteOf(request), today(request), DAY_MS, request.lastMs)];
}

function today({ lastMs }: CoinRequest): number {
  return Math.floor(lastMs / DAY_MS) * DAY_MS;
}

/** The asset that is the unit of an answer's prices; `undefined` for US dollars. Throws InvalidParameters. */
export function quoteOf({ market, query }: CoinRequest): Asset | undefined {
  const quotes = new Map([
    ['usd', { asset: undefined }],
    ['btc', { asset: market.bitcoin }],
  ]);
  return readChoice(query, 'quote', quotes, 'usd').value.asset;
}
