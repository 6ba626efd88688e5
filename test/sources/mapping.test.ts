import fc from 'fast-check';
import { describe, it } from 'vitest';
import { nextState } from '../../functions/marketdata/jobs/markets/next-state.ts';
import { mapOf } from '../../functions/marketdata/jobs/markets/published.ts';
import type { SourceState } from '../../shared/marketdata/sources/source-map.ts';
import { momentOf, SNAPSHOTS, truth, type Universe, universe } from './universe.ts';

const UNIVERSES = 10_000;

/** What is wrong in a universe, in words. */
function wrongIn(world: Universe): string[] {
  const coins = truth(world);
  const wrong: string[] = [];
  const inARow = new Map<string, number>();
  let state: SourceState | undefined;
  for (let n = 0; n < SNAPSHOTS; n++) {
    const { now, snapshot, told, clean } = momentOf(world, n);
    for (const again of world.twice.includes(n) ? [0, 1] : [0]) {
      state = nextState(state, { told, snapshot, now: now + again * 1000 });
    }
    const mapped = new Map(
      state?.exchanges.flatMap(({ exchange, markets }) =>
        markets.flatMap((one) => (one.mapped ? [[`${exchange} ${one.market}`, one.mapped.coin]] : [])),
      ),
    );
    for (const [market, coin] of mapped) {
      if (coin !== coins.get(market)) wrong.push(`${n}: ${market} is ${coin}, not ${coins.get(market)}`);
    }
    for (const [market, coin] of coins) {
      const before = inARow.get(market) ?? 0;
      inARow.set(market, clean.has(market) ? before + 1 : 0);
      if (coin && isDue(world, market, n, inARow.get(market) ?? 0) && !mapped.has(market))
        wrong.push(`${n}: ${market} is not found`);
    }
    for (const markets of state ? mapOf(state).values() : []) {
      const exchanges = markets.map(({ exchange }) => exchange);
      if (new Set(exchanges).size < exchanges.length) wrong.push(`${n}: two markets of ${exchanges}`);
    }
  }
  return wrong;
}

/**
 * After three snapshots, unless a better-ranked coin agrees by chance in one of them; after six more for each such
 * coin that is always nearer than 5 %.
 */
function isDue({ assets }: Universe, market: string, n: number, inARow: number): boolean {
  const [, number] = / S(\d)-/.exec(market) ?? [];
  const better = (assets[Number(number)]?.impostors ?? []).filter(
    ({ rank, isActive }) => rank === 'better' && isActive,
  );
  const near = better.filter(({ factor }) => Math.abs(factor - 1) < 0.06).length;
  return (
    inARow >= 3 + 6 * near &&
    !better.some(({ coincidences }) => coincidences.some((at) => at > n - 3 && at <= n))
  );
}

describe('the map of random universes', () => {
  it('has no wrong coin at any time, and every right one after three snapshots', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(universe, (world) => {
        const wrong = wrongIn(world);
        if (wrong.length > 0) throw new Error(wrong.join('; '));
      }),
      { numRuns: UNIVERSES },
    );
  });
});
