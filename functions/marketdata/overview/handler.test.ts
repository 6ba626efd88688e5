import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { FAILOVER } from '../../../shared/marketdata/store/snapshot.ts';
import { coinOf, type Figures, HOUR_MS, NOW, rowOf, useBatchWorld } from '../../../test/batch/world.ts';
import { commonHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { route } from './route.ts';

const world = useBatchWorld();
const carried = (id: string, figures: Figures) => {
  const takenAt = NOW - HOUR_MS;
  return { ticker: rowOf(id, figures, takenAt), takenAt };
};

beforeEach(() => world().putRegistry([coinOf('a'), coinOf('b'), coinOf('c', { is_active: false })]));
afterEach(() => expect(world().asked).toEqual([]));

const { ask, dataOf } = underTest(route, () => import('./handler.ts'));
const idsOf = (coins: readonly { id: string }[]) => coins.map(({ id }) => id);

describe('the overview', () => {
  it('adds up the snapshot, with the number of coins', async () => {
    world().putSnapshot(
      [
        rowOf('a', { rank: 2, price: 3, cap: 100, volume: 7, change: 1.5 }),
        rowOf('b', { rank: 1, cap: 600, volume: null, change: -2 }),
        rowOf('c', { rank: 3, cap: null, volume: 0, change: 0 }),
        rowOf('d', { rank: 4, price: null, cap: 100, change: 12 }),
      ],
      { others: [carried('e', { cap: 0, volume: 3, change: 30, rank: 5 })] },
    );

    expect(await ask()).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'coinpaprika',
        'x-data-quality': 'exact',
        'x-data-time': new Date(NOW - 60_000).toISOString(),
        'cache-control': publicFor(600),
      },
      body: {
        success: true,
        data: {
          marketCap: { usd: 800, coins: 4 },
          volume24h: { usd: 10, coins: 3 },
          largest: [
            { id: 'b', share: 75 },
            { id: 'a', share: 12.5 },
          ],
          activeCoins: 2,
          gainers: [{ id: 'a', name: 'Name of a', symbol: 'X', price: 3, change: 1.5 }],
          losers: [{ id: 'b', name: 'Name of b', symbol: 'X', price: 1, change: -2 }],
          takenAt: new Date(NOW).toISOString(),
        },
      },
    });
  });

  it('names ten gainers and ten losers of the 500 first by rank, the largest changes first', async () => {
    world().putSnapshot(
      Array.from({ length: 520 }, (_, index) =>
        rowOf(`coin-${index + 1}`, { rank: index + 1, change: index < 500 ? (index - 250) / 10 : 150 }),
      ),
    );
    const { gainers, losers } = await dataOf();
    expect(idsOf(gainers)).toEqual(Array.from({ length: 10 }, (_, index) => `coin-${500 - index}`));
    expect(idsOf(losers)).toEqual(Array.from({ length: 10 }, (_, index) => `coin-${index + 1}`));
  });

  it('names no coin whose price is disputed, old, or tripled without an agreeing market', async () => {
    world().putSnapshot(
      [
        rowOf('disputed', { rank: 1, change: 90, cap: 1 }),
        rowOf('tripled', { rank: 2, change: 200, agreeing: 0 }),
        rowOf('third', { rank: 3, change: -70 }),
        rowOf('confirmed', { rank: 4, change: 210, agreeing: 1 }),
        rowOf('crashed', { rank: 5, change: -99, agreeing: 2 }),
        rowOf('unranked', { change: 50 }),
        rowOf('large', { rank: 6, cap: 99.1 }),
      ],
      { disputed: new Set(['disputed']), others: [carried('old', { rank: 7, change: 60 })] },
    );
    const { gainers, losers } = await dataOf();
    expect([idsOf(gainers), idsOf(losers)]).toEqual([['confirmed'], ['crashed']]);
  });

  it.each([
    [98, 'disputed'],
    [100, 'exact'],
  ])('is disputed from 1 %% of the market cap on: 1 beside %s', async (cap, quality) => {
    world().putSnapshot([rowOf('a', { cap: 1 }), rowOf('b', { cap })], { disputed: new Set(['a']) });
    expect((await ask()).headers).toMatchObject({ 'x-data-quality': quality });
  });

  it('has all totals while exchanges replace the provider’s list, stale if coins without markets tell', async () => {
    const priced = { ...rowOf('a', { rank: 1, change: 3, cap: 40, volume: 2 }) };
    world().putSnapshot([], {
      source: FAILOVER,
      others: [
        { ticker: priced, takenAt: NOW, source: 'coinbase,kraken' },
        { ...carried('b', { rank: 2, cap: 5, volume: 5, change: 4 }), source: 'coinpaprika' },
      ],
    });
    expect((await ask()).headers).toMatchObject({
      'x-data-source': 'coinbase,kraken,coinpaprika',
      'x-data-quality': 'stale',
    });
    expect(await dataOf()).toMatchObject({
      marketCap: { usd: 45, coins: 2 },
      volume24h: { usd: 7, coins: 2 },
      largest: [{ id: 'a' }, { id: 'b' }],
      gainers: [{ id: 'a' }],
    });
  });

  it('lacks only the number of active coins without a registry', async () => {
    world().putSnapshot([rowOf('a', { cap: 1 })]);
    await world().putRegistry(undefined);
    expect(await dataOf()).toMatchObject({ activeCoins: null, marketCap: { usd: 1, coins: 1 } });
  });
});
