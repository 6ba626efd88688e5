import { addToCount, type Counter } from '../../shared/platform/metrics.ts';

/** `ZeroxAsked` counts all requests to 0x, each of which uses the quota; the others count those without a usable response. */
export const aggregatorCounts = [
  'ZeroxAsked',
  'ZeroxKeyRefused',
  'ZeroxLimited',
  'ZeroxFailed',
  'ZeroxUnusable',
] as const;

export const count: Counter<(typeof aggregatorCounts)[number]> = addToCount;
