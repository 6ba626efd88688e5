import { expect, it } from 'vitest';
import { ratesOrigin } from './rates.ts';

it.each([
  ['Easter', '2027-03-25', '2027-03-30T23:00:00Z'],
  ['Christmas', '2031-12-24', '2031-12-29T16:00:00Z'],
  ['a weekend', '2026-11-27', '2026-11-30T16:00:00Z'],
])('rates are the latest ones over %s, and stale if none follow', (_name, day, followedAt) => {
  const qualityAt = (time: number) => ratesOrigin({ source: 'ecb', day }, time).quality;
  expect(qualityAt(Date.parse(followedAt))).toBe('exact');
  expect(qualityAt(Date.parse(day) + 6 * 24 * 3_600_000 + 1)).toBe('stale');
});
