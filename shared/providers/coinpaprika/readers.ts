import type { Candle, PricePoint } from '../../marketdata/candles.ts';
import type { PlanUsage } from '../../marketdata/provider.ts';
import { array, instant, numberOrNull, object } from '../../platform/json-fields.ts';

/** Takes candles from the provider's answer; one without a price, as before a coin's first trade, is left out. */
export function readCandles(json: unknown): Candle[] {
  return array(json, 'the answer').flatMap((item) => {
    const source = object(item, 'a candle');
    const number = (name: string) => numberOrNull(source, name);
    const [open, high, low, close] = ['open', 'high', 'low', 'close'].map(number);
    const times = { time_open: instant(source, 'time_open'), time_close: instant(source, 'time_close') };
    const amounts = { volume: number('volume'), market_cap: number('market_cap') };
    if (open == null || high == null || low == null || close == null) return [];
    return [{ ...times, open, high, low, close, ...amounts }];
  });
}

export function readPrices(json: unknown): PricePoint[] {
  return array(json, 'the answer').flatMap((item) => {
    const source = object(item, 'a price');
    const price = numberOrNull(source, 'price');
    const timestamp = instant(source, 'timestamp');
    const volume_24h = numberOrNull(source, 'volume_24h');
    const market_cap = numberOrNull(source, 'market_cap');
    return price === null ? [] : [{ timestamp, price, volume_24h, market_cap }];
  });
}

/** Undefined for a plan without a limit, which has -1 in place of each number. */
export function readUsage(json: unknown): PlanUsage | undefined {
  const usage = object(object(json, 'the answer').usage, 'usage');
  const month = object(usage.current_month, 'current_month');
  const [made, left] = [numberOrNull(month, 'requests_made'), numberOrNull(month, 'requests_left')];
  if (made === null || left === null) throw new Error('requests_made or requests_left is not a number');
  return made < 0 || left < 0 ? undefined : { made, left };
}
