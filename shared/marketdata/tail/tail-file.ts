import {
  asBuffer,
  crc32,
  type FileFormat,
  HEADER_BYTES,
  headerOf,
  seal,
  signatureOf,
  unseal,
} from '../binary-file.ts';
import { SnapshotError } from '../snapshot/layout.ts';
import { byId, encodeIds, openIds } from '../store/id-table.ts';

/** The changes that are told of a coin in the tail, in the order of its row, with their lengths in minutes. */
export const tailChanges = {
  percent_change_15m: 15,
  percent_change_30m: 30,
  percent_change_1h: 60,
  percent_change_6h: 6 * 60,
  percent_change_12h: 12 * 60,
  percent_change_24h: 24 * 60,
  percent_change_7d: 7 * 24 * 60,
  percent_change_30d: 30 * 24 * 60,
} as const;
export type TailChange = keyof typeof tailChanges;
const changeNames = Object.keys(tailChanges) as TailChange[]; // its own keys

/** What is known of a coin that the tickers' list does not bring. Times in milliseconds since the epoch. */
export interface TailRow {
  readonly id: string;
  /** In USD. */
  readonly price: number;
  /** When that was the price. */
  readonly at: number;
  /** When the source was asked for it. */
  readonly takenAt: number;
  /** In percent; null: not known. */
  readonly changes: Readonly<Record<TailChange, number | null>>;
}

/** The tail, at the time of the run that published it. */
export interface Tail {
  readonly takenAt: number;
  readonly intervalSeconds: number;
  /** Who gave the prices; ASCII, of 28 characters at most. */
  readonly source: string;
  readonly rows: readonly TailRow[];
}

/** Where the coins of a tail are in its file. */
export interface TailTable extends Omit<Tail, 'rows'> {
  /** The bytes of a coin's row, both inclusive as HTTP has them; undefined if it has none. */
  rangeOf(id: string): readonly [first: number, last: number] | undefined;
}

/**
 * The tail's file: the header of `binary-file.ts` (the time of its run, seconds until the next one, the source's name);
 * where the rows begin (32 bits); the CRC-32 of the table that follows; the table of ids (`id-table.ts`); for each coin,
 * in its order, a row of 96 bytes: the CRC-32 of the rest of it, the CRC-32 of the coin's id, price, the price's time,
 * the time at which it was asked for, and the changes (doubles; NaN: not known). So one read by range brings the table,
 * and one more each coin that is wanted, each with a checksum of its own.
 */
const format: FileFormat = {
  signature: signatureOf('TAIL'),
  version: 1,
  name: 'Tail of the tickers',
  error: SnapshotError,
};
const TABLE_FROM = HEADER_BYTES + 8;
const NUMBERS_FROM = 8;
const ROW_BYTES = NUMBERS_FROM + 8 * (3 + changeNames.length);

/** The file, each coin once. Ids that are not well-formed Unicode, which nobody can ask for, are left out. */
export function encodeTail({ takenAt, intervalSeconds, source, rows: given }: Tail): Uint8Array {
  const rows = byId(given.filter(({ id }) => id.isWellFormed()));
  const table = encodeIds(rows.map(({ id }) => id));
  const rowsFrom = TABLE_FROM + table.length;
  const file = Buffer.alloc(rowsFrom + rows.length * ROW_BYTES);
  file.writeUInt32LE(rowsFrom, HEADER_BYTES);
  file.writeUInt32LE(crc32(table), HEADER_BYTES + 4);
  table.copy(file, TABLE_FROM);
  for (const [index, { id, price, at, takenAt: asked, changes }] of rows.entries()) {
    const row = file.subarray(rowsFrom + index * ROW_BYTES, rowsFrom + (index + 1) * ROW_BYTES);
    row.writeUInt32LE(crc32(Buffer.from(id)), 4);
    const numbers = [price, at, asked, ...changeNames.map((name) => changes[name] ?? Number.NaN)];
    for (const [place, number] of numbers.entries()) row.writeDoubleLE(number, NUMBERS_FROM + 8 * place);
    row.writeUInt32LE(crc32(row.subarray(4)), 0);
  }
  return seal(file, format, { rows: rows.length, time: takenAt, seconds: intervalSeconds, source });
}

/** The whole file. Throws SnapshotError. */
export function openTail(bytes: Uint8Array): Tail {
  const { file, rows, time: takenAt, seconds: intervalSeconds, source } = unseal(bytes, format);
  const rowsFrom = file.readUInt32LE(HEADER_BYTES);
  const ids = openIds(file.subarray(TABLE_FROM), rows);
  const all = Array.from({ length: rows }, (_, index) => {
    const from = rowsFrom + index * ROW_BYTES;
    return rowIn(file.subarray(from, from + ROW_BYTES), ids.id(index));
  });
  return { takenAt, intervalSeconds, source, rows: all };
}

/** The table, out of the file's beginning; the number of bytes that it needs, if these are too few. Throws SnapshotError. */
export function openTailTable(bytes: Uint8Array): TailTable | number {
  const beginning = asBuffer(bytes);
  const { rows, time: takenAt, seconds: intervalSeconds, source } = headerOf(beginning, format);
  if (beginning.length < TABLE_FROM) return TABLE_FROM;
  const rowsFrom = beginning.readUInt32LE(HEADER_BYTES);
  if (beginning.length < rowsFrom) return rowsFrom;
  // A copy: what is kept for minutes does not keep the rest of the read.
  const table = Buffer.from(beginning.subarray(TABLE_FROM, rowsFrom));
  if (beginning.readUInt32LE(HEADER_BYTES + 4) !== crc32(table))
    throw new SnapshotError(`${format.name}: damaged table (wrong checksum)`);
  const ids = openIds(table, rows);
  return {
    takenAt,
    intervalSeconds,
    source,
    rangeOf(id) {
      const row = ids.find(id);
      if (row === undefined) return undefined;
      const from = rowsFrom + row * ROW_BYTES;
      return [from, from + ROW_BYTES - 1];
    },
  };
}

/** A coin's row. Throws SnapshotError, also if it is the row of another coin. */
export function openTailRow(bytes: Uint8Array, id: string): TailRow {
  const row = asBuffer(bytes);
  const isWhole = row.length === ROW_BYTES && row.readUInt32LE(0) === crc32(row.subarray(4));
  if (!isWhole) throw new SnapshotError(`${format.name}: damaged row (wrong checksum)`);
  if (row.readUInt32LE(4) !== crc32(Buffer.from(id)))
    throw new SnapshotError(`${format.name}: another coin’s row in place of ${id}`);
  return rowIn(row, id);
}

function rowIn(row: Buffer, id: string): TailRow {
  const numberAt = (place: number) => row.readDoubleLE(NUMBERS_FROM + 8 * place);
  const changes = changeNames.map((name, index) => {
    const change = numberAt(3 + index);
    return [name, Number.isNaN(change) ? null : change];
  });
  return {
    id,
    price: numberAt(0),
    at: numberAt(1),
    takenAt: numberAt(2),
    changes: Object.fromEntries(changes) as TailRow['changes'], // the entries are exactly the names
  };
}
