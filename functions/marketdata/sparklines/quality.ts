/** From the strongest to the weakest. */
export const lineQualities = ['exact', 'sampled', 'derived', 'disputed', 'stale'] as const;
export type LineQuality = (typeof lineQualities)[number];

/** Nothing that is made of several is better than the weakest of them. */
export function weakestOf(qualities: readonly LineQuality[]): LineQuality {
  return lineQualities[Math.max(0, ...qualities.map((one) => lineQualities.indexOf(one)))] ?? 'stale';
}
