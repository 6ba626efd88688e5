import { isoSeconds } from '../../platform/time.ts';
import { type BaseCandle, listed } from '../candles.ts';
import type { StoredCandle } from './stored-candle.ts';

/** A day's candle is served a thousand times, so its texts are made once. */
const written = new WeakMap<StoredCandle, BaseCandle>();

/** A stored candle as routes serve it. */
export function baseCandle(candle: StoredCandle, stepMs: number, now: number): BaseCandle {
  const known = written.get(candle);
  if (known) return known;
  const { opensAt, lastAt, isSettled, open, high, low, close, volume, market_cap, quality, source } = candle;
  const isOver = opensAt + stepMs <= now && isSettled;
  const base: BaseCandle = {
    time_open: isoSeconds(opensAt),
    time_close: isoSeconds(isOver ? opensAt + stepMs - 1000 : lastAt),
    open,
    high,
    low,
    close,
    volume,
    market_cap,
    quality,
    source,
    ...(candle.isNewUnit && { new_unit: true }),
  };
  if (isOver) written.set(candle, base);
  return base;
}

/**
 * A coin's candles in units of another. Open and close are exact; in between it is unknown which prices coincided, so high and low
 * are the larger and smaller of the two, and the candle is `derived`.
 */
export function inUnits(coin: readonly StoredCandle[], unit: readonly StoredCandle[]): StoredCandle[] {
  const units = new Map(unit.map((candle) => [candle.opensAt, candle]));
  return coin.flatMap((candle) => {
    const by = units.get(candle.opensAt);
    if (!by) return [];
    const open = candle.open / by.open;
    const close = candle.close / by.close;
    const inUnit = (amount: number | null) => (amount === null ? null : amount / by.close);
    return [
      {
        ...candle,
        open,
        high: Math.max(open, close),
        low: Math.min(open, close),
        close,
        volume: inUnit(candle.volume),
        market_cap: inUnit(candle.market_cap),
        volume_24h: inUnit(candle.volume_24h),
        isSettled: candle.isSettled && by.isSettled,
        quality: 'derived' as const,
        source: listed(candle.source, by.source),
      },
    ];
  });
}
