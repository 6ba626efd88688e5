import { addToCount, type Counter } from '../../shared/platform/metrics.ts';

/** `ZeroxAsked` is every request to 0x, each of which spends quota; the others are those without a usable answer. */
export const aggregatorCounts = [
  'ZeroxAsked',
  'ZeroxKeyRefused',
  'ZeroxLimited',
  'ZeroxFailed',
  'ZeroxUnusable',
] as const;

export const count: Counter<(typeof aggregatorCounts)[number]> = addToCount;
