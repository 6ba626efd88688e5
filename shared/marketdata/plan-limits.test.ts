import { describe, expect, it } from 'vitest';
import { PlanLimits } from './plan-limits.ts';
import { PlanRefusal } from './provider.ts';

const NOW = Date.UTC(2026, 0, 10);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

function limitsAfter(since: number | undefined): PlanLimits {
  const limits = new PlanLimits();
  limits.note('candles', '24h', new PlanRefusal('CoinPaprika', since), NOW);
  return limits;
}

describe('what a plan has refused', () => {
  it('is nothing until it has refused something', () => {
    expect(new PlanLimits().earliest('candles', '24h', NOW)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('reaches back from now, and moves on with the clock, with a few seconds to spare', () => {
    const limits = limitsAfter(NOW - DAY_MS);

    const reach = (now: number) => now - limits.earliest('candles', '24h', now);

    expect(reach(NOW)).toBeGreaterThan(DAY_MS - 60_000);
    expect(reach(NOW)).toBeLessThanOrEqual(DAY_MS);
    expect(reach(NOW + HOUR_MS / 2)).toBe(reach(NOW));
  });

  it('is everything where the refusal has no date', () => {
    expect(limitsAfter(undefined).earliest('candles', '24h', NOW)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is remembered for one hour', () => {
    const limits = limitsAfter(NOW - DAY_MS);

    expect(limits.earliest('candles', '24h', NOW + HOUR_MS - 1)).not.toBe(Number.NEGATIVE_INFINITY);
    expect(limits.earliest('candles', '24h', NOW + HOUR_MS)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is forgotten where the clock ran backwards', () => {
    expect(limitsAfter(undefined).earliest('candles', '24h', NOW - 1)).toBe(Number.NEGATIVE_INFINITY);
  });

  it.each([
    ['prices', '24h'],
    ['candles', '1h'],
  ] as const)('says nothing about %s of %s', (kind, base) => {
    expect(limitsAfter(undefined).earliest(kind, base, NOW)).toBe(Number.NEGATIVE_INFINITY);
  });
});
