import type { Candle } from '../candles.ts';

/**
 * A candle as it is stored, whatever it was made of. Prices and amounts in USD, times in milliseconds since the epoch.
 * The volume of days, and of what is made of samples, is that of the 24 hours up to the last price.
 */
export interface StoredCandle extends Omit<Candle, 'time_open' | 'time_close'> {
  readonly opensAt: number;
  readonly quality: Quality;
  /** The samples that it was made of, each of a slot of its own; 0 if it came as it is from a provider. */
  readonly samples: number;
  /** When the close was the price. */
  readonly lastAt: number;
  /** Who made it, as `x-data-source` tells it. */
  readonly source: string;
}

/** From the strongest to the weakest; what each means is told in docs/architecture.md, "Provenance". */
export const qualities = ['exact', 'sampled', 'derived'] as const;
export type Quality = (typeof qualities)[number];

/** Nothing that is made of several is better than the weakest of them. */
export function weakest(found: Iterable<Quality>): Quality {
  let last = 0;
  for (const quality of found) last = Math.max(last, qualities.indexOf(quality));
  return qualities[last] ?? 'derived';
}

/**
 * The one of two candles of the same interval that is kept, whichever came first: the better one, else the one that a
 * provider made whole, else the one of more samples, else the first.
 */
export function better(a: StoredCandle, b: StoredCandle): StoredCandle {
  return rankOf(b) > rankOf(a) ? b : a;
}

function rankOf({ quality, samples }: StoredCandle): number {
  const ofQuality = qualities.length - qualities.indexOf(quality);
  return ofQuality * 1_000_000 + (samples === 0 ? 100_000 : samples);
}

/** Joins two lists of candles, ascending; of two for one interval the better one. */
export function joined(a: readonly StoredCandle[], b: readonly StoredCandle[]): StoredCandle[] {
  const byTime = new Map(a.map((candle) => [candle.opensAt, candle]));
  for (const candle of b) {
    const known = byTime.get(candle.opensAt);
    byTime.set(candle.opensAt, known ? better(known, candle) : candle);
  }
  return [...byTime.values()].sort((one, other) => one.opensAt - other.opensAt);
}
