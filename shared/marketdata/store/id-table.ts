import { asBuffer } from '../binary-file.ts';

/**
 * Coin ids in a file: where each begins, and once more where the last one ends (32 bits each, little-endian, from the
 * end of these numbers), and their texts in UTF-8, in the order of their bytes, so that one is found by binary search.
 */
export interface IdTable {
  readonly count: number;
  id(row: number): string;
  /** The row of an id; undefined if it is not there. */
  find(id: string): number | undefined;
  /** Bytes of the table. */
  readonly bytes: number;
}

/** The order of the rows of a file that begins with such a table. */
export function byId<T extends { readonly id: string }>(rows: Iterable<T>): T[] {
  const keyed = Array.from(rows, (row) => ({ row, key: Buffer.from(row.id) }));
  return keyed.sort((a, b) => a.key.compare(b.key)).map(({ row }) => row);
}

/** The table of ids that are in their order. */
export function encodeIds(ids: readonly string[]): Buffer {
  const texts = ids.map((id) => Buffer.from(id));
  const starts = Buffer.alloc((texts.length + 1) * 4);
  let end = 0;
  for (const [row, text] of texts.entries()) {
    starts.writeUInt32LE(end, row * 4);
    end += text.length;
  }
  starts.writeUInt32LE(end, texts.length * 4);
  return Buffer.concat([starts, ...texts]);
}

/** Opens a table of so many ids at the beginning of the bytes. */
export function openIds(bytes: Uint8Array, count: number): IdTable {
  const table = asBuffer(bytes);
  const textsFrom = (count + 1) * 4;
  const startOf = (row: number) => textsFrom + table.readUInt32LE(row * 4);
  return {
    count,
    bytes: startOf(count),
    id: (row) => table.toString('utf8', startOf(row), startOf(row + 1)),
    find(id) {
      const key = Buffer.from(id);
      let [first, end] = [0, count];
      while (first < end) {
        const row = (first + end) >>> 1;
        const order = key.compare(table, startOf(row), startOf(row + 1));
        if (order === 0) return row;
        if (order > 0) first = row + 1;
        else end = row;
      }
      return undefined;
    },
  };
}
