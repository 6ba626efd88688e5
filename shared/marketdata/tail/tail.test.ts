import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../platform/objects.ts';
import { TailReader } from './tail.ts';
import { encodeTail, tailChanges } from './tail-file.ts';

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

/** Reads of which those with these numbers fail; the first one is that of the table. */
function readerWhere(failing: readonly number[]) {
  const reads: ByteRange[] = [];
  const objects = {
    async getRange(_name: string, range: ByteRange) {
      reads.push(range);
      if (failing.includes(reads.length)) throw new Error('no answer within 0.3 s');
      return { bytes: file.subarray(range[0], range[1] + 1), etag: '"1"' };
    },
  };
  return { reads, reader: new TailReader({ objects, now: () => NOW }) };
}

describe('the tail, where a read fails', () => {
  it('reads a row once more', async () => {
    const { reader, reads } = readerWhere([2]);
    expect(await reader.ticker(coin('a'))).toMatchObject({ data: { id: 'a' }, source: 'defillama' });
    expect(reads).toHaveLength(3);
  });

  it('has all others while one row cannot be read', async () => {
    const { reader } = readerWhere([2, 3]);
    expect(await reader.ticker(coin('a'))).toBeUndefined();
    expect(await reader.ticker(coin('b'))).toMatchObject({ data: { id: 'b' } });
  });

  it('is left alone for ten seconds without its table', async () => {
    const { reader, reads } = readerWhere([1]);
    expect(await reader.ticker(coin('a'))).toBeUndefined();
    expect(await reader.ticker(coin('b'))).toBeUndefined();
    expect(reads).toHaveLength(1);
  });
});
