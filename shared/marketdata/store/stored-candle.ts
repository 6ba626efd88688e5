import { DAY_MS } from '../../platform/time.ts';
import type { Candle } from '../candles.ts';
import { type CandleQuality, candleQualities } from '../provenance.ts';

/**
 * A stored candle of any origin. Prices and amounts in USD, times in milliseconds since the epoch. The volume of days, and of
 * candles made of samples, is that of the 24 hours up to the last price.
 */
export interface StoredCandle extends Omit<Candle, 'time_open' | 'time_close'> {
  readonly opensAt: number;
  readonly quality: CandleQuality;
  /** The number of samples that it is made of, each from its own slot; 0 if it comes from a provider unchanged. */
  readonly samples: number;
  /** The time of the close. */
  readonly lastAt: number;
  /** Its source, as in `x-data-source`. */
  readonly source: string;
  /** Whether the coin was redenominated in it: candles before it are in another unit. */
  readonly isNewUnit?: boolean;
}

/**
 * Whether a candle from a provider covers only a part of its interval of `stepMs`, because it was fetched while the interval
 * ran. The end of a candle that had just closed is stored a ten-thousandth of the interval early, to distinguish it from a
 * settled one.
 */
export function isPart({ opensAt, lastAt, samples }: StoredCandle, stepMs: number): boolean {
  return samples === 0 && opensAt + stepMs - lastAt > justBefore(stepMs);
}

export function justBefore(stepMs: number): number {
  return stepMs / 10_000; // a few of the parts of an interval that are stored
}

/**
 * The candle to keep of two for the same interval, in any order: one that begins a new unit, because the other joins prices in two
 * units, otherwise the one of better quality, otherwise the one that a provider
 * made of the whole interval, otherwise the one with more samples, otherwise the first.
 */
function better(a: StoredCandle, b: StoredCandle): StoredCandle {
  return rankOf(b) > rankOf(a) ? b : a;
}

function rankOf({ quality, samples, isNewUnit }: StoredCandle): number {
  const ofQuality = candleQualities.length - candleQualities.indexOf(quality) + (isNewUnit ? 10 : 0);
  return ofQuality * 1_000_000 + (samples === 0 ? 100_000 : samples);
}

/**
 * Joins two lists of candles of `stepMs`, ascending; of two for one interval it keeps the better one, with missing amounts
 * taken from the other. Joining the same list again changes nothing, with one exception: a volume that was lost when a candle
 * of the other kind was better may come back once (`filled`).
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
 * A candle of `stepMs` with the volume and market cap of another of its interval, if it has none: an exchange's prices are the
 * coin's, but its volume is not. If only one of two hours is made of samples, they share no volume, because a sampled one is
 * that of 24 hours.
 */
export function filled(candle: StoredCandle, other: StoredCandle, stepMs: number): StoredCandle {
  const isSameVolume = stepMs >= DAY_MS || candle.samples > 0 === other.samples > 0;
  const volume = candle.volume ?? (isSameVolume ? other.volume : null);
  const market_cap = candle.market_cap ?? other.market_cap;
  const isWhole = volume === candle.volume && market_cap === candle.market_cap;
  return isWhole ? candle : { ...candle, volume, market_cap };
}
