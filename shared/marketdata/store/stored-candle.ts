import { DAY_MS } from '../../platform/time.ts';
import type { Candle } from '../candles.ts';
import { type CandleQuality, candleQualities } from '../provenance.ts';

/**
 * A candle as it is stored, whatever it was made of. Prices and amounts in USD, times in milliseconds since the epoch.
 * The volume of days, and of what is made of samples, is that of the 24 hours up to the last price.
 */
export interface StoredCandle extends Omit<Candle, 'time_open' | 'time_close'> {
  readonly opensAt: number;
  readonly quality: CandleQuality;
  /** The samples that it was made of, each of a slot of its own; 0 if it came as it is from a provider. */
  readonly samples: number;
  /** When the close was the price. */
  readonly lastAt: number;
  /** Who made it, as `x-data-source` tells it. */
  readonly source: string;
}

/**
 * Whether a candle from a provider holds only a part of its interval, of `stepMs`, because that was not over yet. The end of
 * one that had just closed is a ten-thousandth of the interval early, to tell it from one that is closed for good.
 */
export function isPart({ opensAt, lastAt, samples }: StoredCandle, stepMs: number): boolean {
  return samples === 0 && opensAt + stepMs - lastAt > justBefore(stepMs);
}

export function justBefore(stepMs: number): number {
  return stepMs / 10_000; // a few of the parts of an interval that are stored
}

/**
 * The one of two candles of the same interval that is kept, whichever came first: the better one, else the one that a
 * provider made whole, else the one of more samples, else the first.
 */
function better(a: StoredCandle, b: StoredCandle): StoredCandle {
  return rankOf(b) > rankOf(a) ? b : a;
}

function rankOf({ quality, samples }: StoredCandle): number {
  const ofQuality = candleQualities.length - candleQualities.indexOf(quality);
  return ofQuality * 1_000_000 + (samples === 0 ? 100_000 : samples);
}

/**
 * Joins two lists of candles of `stepMs`, ascending; of two for one interval the better one, with the amounts of the
 * other in place of those that it lacks. Joining the same again changes nothing, except that a volume may come back once
 * which was lost when a candle of the other kind was the better one (`filled`).
 */
export function joined(
  a: readonly StoredCandle[],
  b: readonly StoredCandle[],
  stepMs: number,
): StoredCandle[] {
  const byTime = new Map(a.map((candle) => [candle.opensAt, candle]));
  for (const candle of b) {
    const known = byTime.get(candle.opensAt);
    byTime.set(candle.opensAt, known ? betterOfBoth(known, candle, stepMs) : candle);
  }
  return [...byTime.values()].sort((one, other) => one.opensAt - other.opensAt);
}

export function betterOfBoth(a: StoredCandle, b: StoredCandle, stepMs: number): StoredCandle {
  const kept = better(a, b);
  return filled(kept, kept === a ? b : a, stepMs);
}

/**
 * A candle of `stepMs` with the volume and market cap of another of its interval, if it has none: an exchange's prices
 * are the coin's, its volume is not. Two hours of which only one is made of samples share no volume, because one of them
 * has that of 24 hours.
 */
export function filled(candle: StoredCandle, other: StoredCandle, stepMs: number): StoredCandle {
  const isSameVolume = stepMs >= DAY_MS || candle.samples > 0 === other.samples > 0;
  const volume = candle.volume ?? (isSameVolume ? other.volume : null);
  const market_cap = candle.market_cap ?? other.market_cap;
  const isWhole = volume === candle.volume && market_cap === candle.market_cap;
  return isWhole ? candle : { ...candle, volume, market_cap };
}
