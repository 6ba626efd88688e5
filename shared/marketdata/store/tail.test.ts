import { describe, expect, it } from 'vitest';
import { encodeTail, TailReader, tailChanges } from './tail.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const changes = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, null])) as Record<
  keyof typeof tailChanges,
  null
>; // its own keys
const rowOf = (id: string) => ({ id, price: 1, at: NOW, takenAt: NOW, changes });
const file = Buffer.from(
  encodeTail({ takenAt: NOW, intervalSeconds: 600, source: 'defillama', rows: ['a', 'b'].map(rowOf) }),
);
const coin = (id: string) => ({ id, name: id, symbol: id, rank: 1 });

/** Reads of which those with these numbers fail. */
function readerWhere(failing: readonly number[]) {
  const reads: (string | undefined)[] = [];
  const clock = { now: NOW };
  const objects = {
    async getNewer(_name: string, etag: string | undefined) {
      reads.push(etag);
      if (failing.includes(reads.length)) throw new Error('no answer within 1 s');
      return etag === undefined ? { bytes: file, etag: '"1"' } : undefined;
    },
  };
  return { reads, clock, reader: new TailReader({ objects, now: () => clock.now }) };
}

describe('the tail', () => {
  it('is read once for all coins, and looked for again by its ETag when the next run is over', async () => {
    const { reader, reads, clock } = readerWhere([]);
    const both = await Promise.all(['a', 'b'].map((id) => reader.ticker(coin(id))));
    expect(both).toMatchObject([{ data: { id: 'a' }, source: 'defillama' }, { data: { id: 'b' } }]);
    expect(await reader.ticker(coin('c'))).toBeUndefined();
    expect(reads).toEqual([undefined]);
    clock.now += 12 * 60_000;
    expect(await reader.ticker(coin('a'))).toBeDefined();
    expect(reads).toEqual([undefined, '"1"']);
  });

  it('is left alone for ten seconds if it cannot be read', async () => {
    const { reader, reads, clock } = readerWhere([1]);
    expect(await reader.ticker(coin('a'))).toBeUndefined();
    expect(await reader.ticker(coin('b'))).toBeUndefined();
    expect(reads).toHaveLength(1);
    clock.now += 10_000;
    expect(await reader.ticker(coin('b'))).toBeDefined();
  });

  it('stays while a newer one cannot be read', async () => {
    const { reader, clock } = readerWhere([2]);
    expect(await reader.ticker(coin('a'))).toBeDefined();
    clock.now += 12 * 60_000;
    expect(await reader.ticker(coin('a'))).toBeDefined();
  });

  it('has all coins but the one whose row is damaged', async () => {
    const damaged = Buffer.from(file);
    damaged[damaged.length - 1] = 7;
    const objects = { getNewer: async () => ({ bytes: damaged, etag: '"1"' }) };
    const reader = new TailReader({ objects, now: () => NOW });
    expect(await reader.ticker(coin('b'))).toBeUndefined();
    expect(await reader.ticker(coin('a'))).toBeDefined();
  });
});
