import { describe, expect, it } from 'vitest';
import { PlanLimits } from './plan-limits.ts';
import { PlanRefusal } from './provider.ts';

const NOW = Date.UTC(2026, 0, 10);
const COIN = 'sol-solana';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const refusal = (since: number | undefined) => new PlanRefusal('no', { since });

/** After the same refusal of two coins. */
function limitsAfter(since: number | undefined): PlanLimits {
  const limits = new PlanLimits();
  for (const coin of ['btc-bitcoin', 'eth-ethereum'])
    limits.note('candles', '24h', coin, refusal(since), NOW);
  return limits;
}

describe('what a plan has refused', () => {
  it('is nothing until it has refused something', () => {
    expect(new PlanLimits().earliest('candles', '24h', COIN, NOW)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('reaches back from now, and moves on with the clock, with a few seconds to spare', () => {
    const limits = limitsAfter(NOW - DAY_MS);

    const reach = (now: number) => now - limits.earliest('candles', '24h', COIN, now);

    expect(reach(NOW)).toBeGreaterThan(DAY_MS - 60_000);
    expect(reach(NOW)).toBeLessThanOrEqual(DAY_MS);
    expect(reach(NOW + HOUR_MS / 2)).toBe(reach(NOW));
  });

  it('is everything where the refusal has no date', () => {
    expect(limitsAfter(undefined).earliest('candles', '24h', COIN, NOW)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is remembered for one hour, if it is of one coin', () => {
    const limits = new PlanLimits();
    limits.note('candles', '24h', COIN, refusal(NOW - DAY_MS), NOW);

    expect(limits.earliest('candles', '24h', COIN, NOW + HOUR_MS - 1)).not.toBe(Number.NEGATIVE_INFINITY);
    expect(limits.earliest('candles', '24h', COIN, NOW + HOUR_MS)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is remembered for six hours if it is of two, and then again after one more refusal', () => {
    const limits = limitsAfter(undefined);
    const knownAfter = (hours: number) =>
      limits.earliest('candles', '24h', 'ada-cardano', NOW + hours * HOUR_MS) !== Number.NEGATIVE_INFINITY;

    expect([knownAfter(5.9), knownAfter(6)]).toEqual([true, false]);
    limits.note('candles', '24h', COIN, refusal(undefined), NOW + 7 * HOUR_MS);
    expect([knownAfter(12.9), knownAfter(13)]).toEqual([true, false]);
  });

  it('is forgotten where the clock ran backwards', () => {
    expect(limitsAfter(undefined).earliest('candles', '24h', COIN, NOW - 1)).toBe(Number.NEGATIVE_INFINITY);
  });

  it.each([
    ['prices', '24h'],
    ['candles', '1h'],
  ] as const)('says nothing about %s of %s', (kind, base) => {
    expect(limitsAfter(undefined).earliest(kind, base, COIN, NOW)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('is of one coin alone until the provider says it of another', async () => {
    const limits = new PlanLimits();
    const refused = (coin: string) => limits.earliest('candles', '24h', coin, NOW) > Number.NEGATIVE_INFINITY;
    await limits.note('candles', '24h', 'a', refusal(undefined), NOW);
    await limits.note('candles', '24h', 'a', refusal(undefined), NOW);
    expect([refused('a'), refused('b')]).toEqual([true, false]);

    await limits.note('candles', '24h', 'b', refusal(undefined), NOW);
    expect([refused('a'), refused('b'), refused('c')]).toEqual([true, true, true]);
  });

  it('is confirmed also by what another instance was refused', async () => {
    const texts: Record<string, string> = {};
    const memory = {
      recall: async () => texts,
      remember: async (name: string, text: string) => {
        texts[name] = text;
      },
    };
    await new PlanLimits().note('prices', '1h', 'a', refusal(NOW - DAY_MS), NOW, memory);
    const limits = new PlanLimits();
    await limits.recall(memory, NOW);
    expect(limits.earliest('prices', '1h', 'b', NOW)).toBe(Number.NEGATIVE_INFINITY);

    await limits.note('prices', '1h', 'b', refusal(NOW - DAY_MS), NOW, memory);
    expect(limits.earliest('prices', '1h', 'c', NOW)).toBeGreaterThan(NOW - DAY_MS);
  });
});
