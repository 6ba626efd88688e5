import { beforeEach, describe, expect, it } from 'vitest';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { wishes } from '../../shared/coordination/wishes.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();
const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;

let open: () => SharedTable;
beforeEach(async () => {
  open = await newTable();
});

const opened = (now = NOON, table = open()) => wishes({ table, provider: 'test', now: () => now });

describe('wishes for the history', () => {
  it('are found by all instances, each with how often and when it was filed', async () => {
    await opened().file('btc-bitcoin', '24h');
    await opened(NOON + 1000).file('btc-bitcoin', '24h');
    await opened().file('btc-bitcoin', '1h');
    await opened().file('战旗-战旗', '24h');

    const all = await opened().all();
    expect(all).toHaveLength(3);
    expect(all).toEqual(
      expect.arrayContaining([
        { id: 'btc-bitcoin', base: '24h', asked: 2, at: NOON + 1000 },
        { id: 'btc-bitcoin', base: '1h', asked: 1, at: NOON },
        { id: '战旗-战旗', base: '24h', asked: 1, at: NOON },
      ]),
    );
  });

  it('are counted one by one, filed by however many at once', async () => {
    await Promise.all(Array.from({ length: 50 }, () => opened().file('eth-ethereum', '24h')));

    expect(await opened().all()).toEqual([{ id: 'eth-ethereum', base: '24h', asked: 50, at: NOON }]);
  });

  it('never need more rows than there are slots, however many coins are wished for', async () => {
    const table = open();
    const keys = new Set<string>();
    const watching: SharedTable = {
      get: table.get,
      update: (key, change) => {
        keys.add(key);
        return table.update(key, change);
      },
    };
    const filing = opened(NOON, watching);
    for (let n = 0; n < 20; n += 1) {
      await Promise.all(Array.from({ length: 100 }, (_, m) => filing.file(`coin-${n * 100 + m}`, '24h')));
    }

    const all = await opened().all();
    expect(keys.size).toBeLessThanOrEqual(256);
    // Hardly a slot stays free, so the ids are spread over them.
    expect(all.length).toBeGreaterThan(245);
    expect(all.every(({ asked }) => asked === 1)).toBe(true);
  });

  it('are forgotten a day after they were filed last, and their slots are free again', async () => {
    await opened().file('btc-bitcoin', '24h');
    await opened().file('btc-bitcoin', '24h');

    expect(await opened(NOON + DAY_MS - 1000).all()).toHaveLength(1);
    expect(await opened(NOON + DAY_MS).all()).toEqual([]);
    await opened(NOON + DAY_MS).file('btc-bitcoin', '24h');
    expect(await opened(NOON + DAY_MS).all()).toEqual([
      { id: 'btc-bitcoin', base: '24h', asked: 1, at: NOON + DAY_MS },
    ]);
  });

  it('are cleared, unless there is another one in the slot', async () => {
    await opened().file('btc-bitcoin', '24h');
    await opened().clear({ id: 'btc-bitcoin', base: '1h' });
    await opened().clear({ id: 'eth-ethereum', base: '24h' });
    expect(await opened().all()).toHaveLength(1);

    await opened().clear({ id: 'btc-bitcoin', base: '24h' });
    await opened().clear({ id: 'btc-bitcoin', base: '24h' });
    expect(await opened().all()).toEqual([]);
    await opened().file('btc-bitcoin', '24h');
    expect(await opened().all()).toMatchObject([{ asked: 1 }]);
  });

  it('cost one write each', async () => {
    const calls: string[] = [];
    const table = open();
    const counted: SharedTable = {
      get: table.get,
      update: (key, change) => {
        calls.push(key);
        return table.update(key, change);
      },
    };
    await opened(NOON, counted).file('btc-bitcoin', '24h');
    await opened(NOON, counted).file('btc-bitcoin', '24h');
    expect(calls).toHaveLength(2);
  });

  it.each(['down', 'slow'])('are lost while the table is %s, which nobody is told of', async (how) => {
    const failing = guardedTable(
      async () =>
        hindered(open(), async () => {
          if (how === 'down') throw new Error('connect ECONNREFUSED');
          await new Promise(() => {});
        }),
      { firstTimeoutMs: 50 },
    );
    const lost = opened(NOON, failing);

    await lost.file('btc-bitcoin', '24h');
    expect(await lost.all()).toEqual([]);
    await lost.clear({ id: 'btc-bitcoin', base: '24h' });
  });
});
