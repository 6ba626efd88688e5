import { listed } from './candles.ts';

/** Of what is told of the present, from the strongest to the weakest. */
export const originQualities = ['exact', 'disputed', 'stale'] as const;

/** Who says something, and how far it may be relied on. */
export interface Origin {
  readonly source: string;
  /** `stale`: past its lifetime, and no newer one was published. */
  readonly quality: (typeof originQualities)[number];
  /** When the source made it; milliseconds since the epoch. */
  readonly madeAt: number;
  readonly freshUntil: number;
}

/**
 * All in one: every source, the weakest quality, the oldest time, and fresh until the first is not. Undefined if there
 * are none.
 */
export function jointOrigin(origins: readonly Origin[]): Origin | undefined {
  if (origins.length === 0) return undefined;
  let [weakest, madeAt, freshUntil] = [0, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const origin of origins) {
    weakest = Math.max(weakest, originQualities.indexOf(origin.quality));
    madeAt = Math.min(madeAt, origin.madeAt);
    freshUntil = Math.min(freshUntil, origin.freshUntil);
  }
  const source = listed(...origins.map((origin) => origin.source));
  return { source, quality: originQualities[weakest] ?? 'stale', madeAt, freshUntil };
}
