import {
  asBuffer,
  crc32,
  type FileFormat,
  type FileHeader,
  HEADER_BYTES,
  headerOf,
  type KnownHeader,
  seal,
  unseal,
} from '../binary-file.ts';
import { byId, encodeIds, openIds } from './id-table.ts';

/**
 * A file of which coins are read one at a time: the header of `binary-file.ts`; where the rows begin (32 bits); the
 * CRC-32 of the table that follows; the table of ids (`id-table.ts`), and a text of the format's own that belongs to it;
 * for each coin, in its order, a row: the CRC-32 of the rest of it, the CRC-32 of that text and the coin's id, and the
 * format's own bytes. So one read by range brings the table, and one more each coin that is wanted, each with a checksum
 * of its own, and a row is never read with the text of another table.
 */
export interface RowFormat extends FileFormat {
  /** The format's own bytes of a row. */
  readonly contentBytes: number;
}

/** What tells a file's rows apart: the format's own text in the table. */
interface Told {
  readonly header: KnownHeader;
  readonly text: string;
}

/** Where the rows of a file are. */
export interface RowTable extends Told {
  /** The bytes of a coin's row, both inclusive as HTTP has them; undefined if it has none. */
  rangeOf(id: string): readonly [first: number, last: number] | undefined;
}

export interface OpenedRows extends Told {
  /** The format's own bytes of each coin, in the order of their ids. */
  readonly rows: readonly (readonly [id: string, content: Buffer])[];
}

interface Given<T> {
  readonly header: Omit<FileHeader, 'rows'>;
  readonly text?: string;
  /** Each coin once. */
  readonly rows: readonly T[];
  /** Writes the format's own bytes of a row, which are zero before. */
  readonly write: (content: Buffer, row: T) => void;
}

const TABLE_FROM = HEADER_BYTES + 8;
const CONTENT_FROM = 8;

export function encodeRows<T extends { readonly id: string }>(
  format: RowFormat,
  { header, text = '', rows: given, write }: Given<T>,
): Uint8Array {
  const rows = byId(given);
  const rowBytes = CONTENT_FROM + format.contentBytes;
  const table = Buffer.concat([encodeIds(rows.map(({ id }) => id)), Buffer.from(text)]);
  const rowsFrom = TABLE_FROM + table.length;
  const file = Buffer.alloc(rowsFrom + rows.length * rowBytes);
  file.writeUInt32LE(rowsFrom, HEADER_BYTES);
  file.writeUInt32LE(crc32(table), HEADER_BYTES + 4);
  table.copy(file, TABLE_FROM);
  for (const [index, one] of rows.entries()) {
    const row = file.subarray(rowsFrom + index * rowBytes, rowsFrom + (index + 1) * rowBytes);
    row.writeUInt32LE(keyOf(one.id, text), 4);
    write(row.subarray(CONTENT_FROM), one);
    row.writeUInt32LE(crc32(row.subarray(4)), 0);
  }
  return seal(file, format, { ...header, rows: rows.length });
}

/** The whole file. Throws the format's error. */
export function openRows(format: RowFormat, bytes: Uint8Array): OpenedRows {
  const { file, ...header } = unseal(bytes, format);
  const rowsFrom = file.readUInt32LE(HEADER_BYTES);
  const table = file.subarray(TABLE_FROM, rowsFrom);
  const ids = openIds(table, header.rows);
  const rows = Array.from({ length: header.rows }, (_, row) => {
    const from = rowsFrom + row * (CONTENT_FROM + format.contentBytes) + CONTENT_FROM;
    return [ids.id(row), file.subarray(from, from + format.contentBytes)] as const;
  });
  return { header, text: table.toString('utf8', ids.bytes), rows };
}

/**
 * The table, out of the file's first bytes, of which so many were requested; the number of bytes that it needs, if that
 * is more. Throws the format's error, also for a file that ends before its header says, so a second read is the last.
 */
export function openRowTable(format: RowFormat, bytes: Uint8Array, requested: number): RowTable | number {
  const beginning = asBuffer(bytes);
  const header = headerOf(beginning, format);
  const rowBytes = CONTENT_FROM + format.contentBytes;
  const refuse = (reason: string): never => {
    throw new format.error(`${format.name}: ${reason}`);
  };
  if (beginning.length < Math.min(requested, Math.max(header.size, TABLE_FROM))) refuse('cut off');
  if (beginning.length < TABLE_FROM) return TABLE_FROM;
  const rowsFrom = beginning.readUInt32LE(HEADER_BYTES);
  if (rowsFrom + header.rows * rowBytes !== header.size) refuse('damaged header (its lengths contradict)');
  if (beginning.length < rowsFrom) return rowsFrom;
  // A copy: what is kept for minutes does not keep the rest of the read.
  const table = Buffer.from(beginning.subarray(TABLE_FROM, rowsFrom));
  if (beginning.readUInt32LE(HEADER_BYTES + 4) !== crc32(table)) refuse('damaged table (wrong checksum)');
  const ids = openIds(table, header.rows);
  return {
    header,
    text: table.toString('utf8', ids.bytes),
    rangeOf(id) {
      const row = ids.find(id);
      if (row === undefined) return undefined;
      const from = rowsFrom + row * rowBytes;
      return [from, from + rowBytes - 1];
    },
  };
}

/** The format's own bytes of a coin's row. Throws the format's error, also if it is the row of another coin. */
export function openRow(format: RowFormat, bytes: Uint8Array, id: string, text = ''): Buffer {
  const row = asBuffer(bytes);
  const isWhole =
    row.length === CONTENT_FROM + format.contentBytes && row.readUInt32LE(0) === crc32(row.subarray(4));
  if (!isWhole) throw new format.error(`${format.name}: damaged row (wrong checksum)`);
  if (row.readUInt32LE(4) !== keyOf(id, text))
    throw new format.error(`${format.name}: another coin’s row in place of ${id}`);
  return row.subarray(CONTENT_FROM);
}

function keyOf(id: string, text: string): number {
  return crc32(Buffer.from(text + id));
}
