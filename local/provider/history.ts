import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { priceAt } from './market.ts';
import { type CoinRequest, quoteOf } from './ohlcv.ts';
import { checkHistory } from './plan.ts';
import { readChoice, readLimit, readRange } from './query.ts';
import { isoSeconds } from './time.ts';
import { volumeBetween } from './volume.ts';

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 5000;

const intervals = new Map([
  ...[5, 10, 15, 30, 45].map((minutes) => [`${minutes}m`, minutes * MINUTE_MS] as const),
  ...[1, 2, 3, 6, 12, 24].map((hours) => [`${hours}h`, hours * HOUR_MS] as const),
  ...[1, 7, 14, 30, 90, 365].map((days) => [`${days}d`, days * DAY_MS] as const),
]);

/** One entry of the price history as the provider answers it. */
export interface Tick {
  readonly timestamp: string;
  readonly price: number;
  readonly volume_24h: number;
  readonly market_cap: number;
}

/**
 * `/tickers/{id}/historical`: ticks from `start` to `end`, oldest first, at most `limit`. A tick is stamped with the
 * start of its interval and carries the figures of the interval's end, or of now while it lasts: its price is the close
 * of the candle that opens at its timestamp. Throws InvalidParameters and PlanRefusal.
 */
export function tickersHistorical(request: CoinRequest): Tick[] {
  const { asset, query, plan, nowMs, lastMs } = request;
  const intervalMs = readChoice(query, 'interval', intervals, '5m').value;
  const quote = quoteOf(request);
  const limit = readLimit(query, DEFAULT_LIMIT, MAX_LIMIT);
  const { startMs, endMs } = readRange(query, lastMs);
  checkHistory(plan, intervalMs, startMs, nowMs);
  const ticks: Tick[] = [];
  const alignMs = Math.min(intervalMs, DAY_MS); // intervals of several days count from the day of `start`
  const firstMs = Math.ceil(Math.max(startMs, asset.firstMs) / alignMs) * alignMs;
  for (let fromMs = firstMs; fromMs <= endMs && ticks.length < limit; fromMs += intervalMs) {
    const atMs = Math.min(fromMs + intervalMs, lastMs);
    const dollars = quote ? priceAt(quote, atMs) : 1;
    const price = priceAt(asset, atMs) / dollars;
    ticks.push({
      timestamp: isoSeconds(fromMs),
      price,
      volume_24h: Math.round(volumeBetween(asset, atMs - DAY_MS, atMs) / dollars),
      market_cap: Math.round(price * asset.circulatingSupply),
    });
  }
  return ticks;
}
