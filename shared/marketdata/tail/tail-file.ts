import { signatureOf } from '../binary-file.ts';
import { SnapshotError } from '../snapshot/layout.ts';
import {
  encodeRows,
  openRow,
  openRows,
  openRowTable,
  type RowFormat,
  type RowTable,
} from '../store/row-file.ts';

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
export interface TailTable extends Omit<Tail, 'rows'>, Pick<RowTable, 'rangeOf'> {}

const VERSION = 1;
export const TAIL_NAME = `tail.v${VERSION}`;
const CHANGES_FROM = 8 * 3;
/**
 * The tail: a file of rows (`row-file.ts`; the time of its run, seconds until the next one, the source's name), each of
 * price, the price's time, the time at which it was asked for, and the changes (doubles; NaN: not known).
 */
const format: RowFormat = {
  signature: signatureOf('TAIL'),
  version: VERSION,
  name: 'Tail of the tickers',
  error: SnapshotError,
  contentBytes: CHANGES_FROM + 8 * changeNames.length,
};

/** The file, each coin once. Ids that are not well-formed Unicode, which nobody can ask for, are left out. */
export function encodeTail({ takenAt, intervalSeconds, source, rows }: Tail): Uint8Array {
  return encodeRows(format, {
    header: { time: takenAt, seconds: intervalSeconds, source },
    rows: rows.filter(({ id }) => id.isWellFormed()),
    write(content, { price, at, takenAt: asked, changes }) {
      const numbers = [price, at, asked, ...changeNames.map((name) => changes[name] ?? Number.NaN)];
      for (const [place, number] of numbers.entries()) content.writeDoubleLE(number, 8 * place);
    },
  });
}

/** The whole file. Throws SnapshotError. */
export function openTail(bytes: Uint8Array): Tail {
  const { header, rows } = openRows(format, bytes);
  const { time: takenAt, seconds: intervalSeconds, source } = header;
  return { takenAt, intervalSeconds, source, rows: rows.map(([id, content]) => rowIn(content, id)) };
}

/**
 * The table, out of the file's first bytes, of which so many were requested; the number of bytes that it needs, if that
 * is more. Throws SnapshotError.
 */
export function openTailTable(bytes: Uint8Array, requested: number): TailTable | number {
  const table = openRowTable(format, bytes, requested);
  if (typeof table === 'number') return table;
  const { time: takenAt, seconds: intervalSeconds, source } = table.header;
  return { takenAt, intervalSeconds, source, rangeOf: table.rangeOf };
}

/** A coin's row. Throws SnapshotError, also if it is the row of another coin. */
export function openTailRow(bytes: Uint8Array, id: string): TailRow {
  return rowIn(openRow(format, bytes, id), id);
}

function rowIn(content: Buffer, id: string): TailRow {
  const changes = changeNames.map((name, index) => {
    const change = content.readDoubleLE(CHANGES_FROM + 8 * index);
    return [name, Number.isNaN(change) ? null : change];
  });
  return {
    id,
    price: content.readDoubleLE(0),
    at: content.readDoubleLE(8),
    takenAt: content.readDoubleLE(16),
    changes: Object.fromEntries(changes) as TailRow['changes'], // the entries are exactly the names
  };
}
