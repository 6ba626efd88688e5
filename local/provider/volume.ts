import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { uniform } from './hash.ts';
import type { Asset } from './market.ts';

/**
 * US dollars traded between two instants (ms). The rate of trade is constant within an hour, so that the volume of a
 * long candle is the sum of its short ones.
 */
export function volumeBetween(asset: Asset, fromMs: number, toMs: number): number {
  let volume = 0;
  for (let hour = Math.floor(fromMs / HOUR_MS); hour * HOUR_MS < toMs; hour++) {
    const begin = Math.max(fromMs, hour * HOUR_MS);
    const end = Math.min(toMs, (hour + 1) * HOUR_MS);
    volume += ((end - begin) / DAY_MS) * dailyRate(asset, hour);
  }
  return volume;
}

function dailyRate(asset: Asset, hour: number): number {
  const day = 0.6 + 0.8 * uniform(asset.seed, -Math.floor(hour / 24));
  return asset.dailyVolume * day * (0.5 + uniform(asset.seed, hour));
}
