import { closed, withSample } from '../../shared/marketdata/store/fold-samples.ts';
import type { Sample } from '../../shared/marketdata/store/sample-file.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { type Asset, priceAt } from '../provider/market.ts';
import { volumeBetween } from '../provider/volume.ts';

export const SAMPLE_MS = 600_000;
export const SOURCE = 'simulated';

/** Milliseconds since the epoch, both at an interval's beginning; `to` is exclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

type Figures = Pick<Sample, 'price' | 'market_cap'>;

/** What a run of the snapshot's job would have seen. */
export function sampleAt(asset: Asset, takenAt: number): Omit<Sample, 'id'> {
  return { ...figuresAt(asset, takenAt), volume: volumeBetween(asset, takenAt - DAY_MS, takenAt) };
}

function figuresAt(asset: Asset, takenAt: number): Figures {
  const price = priceAt(asset, takenAt);
  return { price, market_cap: Math.round(price * asset.circulatingSupply) };
}

/**
 * The candles that own history would have, if a sample had been taken every ten minutes: folded out of the simulated
 * prices as the jobs fold what they see. None from before the coin's first price.
 */
export function sampledCandles(asset: Asset, { from, to }: Stretch, stepMs: number): StoredCandle[] {
  const candles: StoredCandle[] = [];
  const first = Math.ceil(Math.max(from, asset.firstMs) / SAMPLE_MS) * SAMPLE_MS;
  for (let opensAt = Math.floor(first / stepMs) * stepMs; opensAt < to; opensAt += stepMs) {
    const candle = sampledCandle(asset, Math.max(opensAt, first), opensAt + stepMs, stepMs);
    if (candle) candles.push(closed(candle, SAMPLE_MS, stepMs));
  }
  return candles;
}

function sampledCandle(asset: Asset, from: number, to: number, stepMs: number): StoredCandle | undefined {
  let candle: StoredCandle | undefined;
  for (let takenAt = from; takenAt < to; takenAt += SAMPLE_MS) {
    // A candle has the volume of its last sample, and to add up those of 24 hours takes longer than all the rest.
    const isLast = takenAt + SAMPLE_MS >= to;
    const sample = isLast ? sampleAt(asset, takenAt) : { ...figuresAt(asset, takenAt), volume: null };
    candle = withSample(candle, sample, { takenAt, intervalMs: SAMPLE_MS, source: SOURCE }, stepMs);
  }
  return candle;
}
