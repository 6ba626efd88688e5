import { type FileFormat, signatureOf } from '../binary-file.ts';
import { SnapshotError } from '../snapshot/layout.ts';
import { encodeRows, openRows } from '../store/rows.ts';

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

/** A tail as it was read. */
export interface StoredTail extends Omit<Tail, 'rows'> {
  /** The row of a coin; undefined if it has none, or that is damaged. */
  row(id: string): TailRow | undefined;
  /** In the order of the ids' bytes. */
  rows(): Iterable<TailRow>;
}

const VERSION = 2;
export const TAIL_NAME = `tail.v${VERSION}`;
const CHANGES_FROM = 8 * 3;
const ROW_BYTES = CHANGES_FROM + 8 * changeNames.length;
/**
 * The tail: a file of rows (`rows.ts`; the time of its run, seconds until the next one, the source's name), each of
 * price, the price's time, the time at which the source was asked for it, and the changes (doubles; NaN: not known).
 */
const format: FileFormat = {
  signature: signatureOf('TAIL'),
  version: VERSION,
  name: 'Tail of the tickers',
  error: SnapshotError,
};

/** The file, each coin once. */
export function encodeTail({ takenAt, intervalSeconds, source, rows }: Tail): Uint8Array {
  return encodeRows(format, {
    header: { time: takenAt, seconds: intervalSeconds, source },
    rows: rows.map(({ id, price, at, takenAt: fetchedAt, changes }) => {
      const content = Buffer.alloc(ROW_BYTES);
      const numbers = [price, at, fetchedAt, ...changeNames.map((name) => changes[name] ?? Number.NaN)];
      for (const [place, number] of numbers.entries()) content.writeDoubleLE(number, 8 * place);
      return [id, content] as const;
    }),
  });
}

/** Throws SnapshotError; a damaged row is left out. */
export function openTail(bytes: Uint8Array): StoredTail {
  const file = openRows(format, bytes);
  const { time: takenAt, seconds: intervalSeconds, source } = file.header;
  return {
    takenAt,
    intervalSeconds,
    source,
    row(id) {
      const content = file.content(id);
      return content && rowIn(content, id);
    },
    *rows() {
      for (const [id, content] of file.entries()) yield rowIn(content, id);
    },
  };
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
