import {
  asBuffer,
  CHECKED_FROM,
  crc32,
  type FileFormat,
  HEADER_BYTES,
  headerOf,
  isWhole,
  type KnownHeader,
} from '../binary-file.ts';

/**
 * The common format of stored rows, which are found by id: the header of `binary-file.ts`; the length of the table and the
 * CRC-32 of the header's fields and the table (32 bits each); the table; the rows.
 *
 * The table has the start of each id, and the end of the last one, in the texts that follow (32 bits each); the ids in
 * UTF-8, in the order of their bytes; the start of each row, and the end of the last one, counted from the first row (32
 * bits each); and a text of the format's own. A row is the CRC-32 of its remaining bytes, the CRC-32 of that text and the
 * id, and the format's own bytes.
 *
 * So one read by range returns the table, one more each wanted row, and a row is never read with the text of another
 * table. In a whole file a damaged row affects no other.
 */
export interface RowTable {
  readonly header: KnownHeader;
  readonly text: string;
  readonly count: number;
  id(row: number): string;
  /** The row of an id; undefined if it has none. */
  find(id: string): number | undefined;
  /** The byte range of a row in the file, both ends inclusive as in HTTP; undefined if the id has none. */
  rangeOf(id: string): readonly [first: number, last: number] | undefined;
  /** The table's size in memory. */
  readonly bytes: number;
}

/** A whole file. */
export interface Rows extends RowTable {
  /** The ids with damaged rows, which have no content. */
  readonly damaged: readonly string[];
  /** The format's own bytes of a row; undefined if there is none. */
  content(id: string): Buffer | undefined;
  /** All intact rows, in the order of their ids. */
  entries(): Generator<readonly [id: string, content: Buffer]>;
}

export const TABLE_FROM = HEADER_BYTES + 8;
export const CONTENT_FROM = 8;

/** Throws the format's error for another file, or for a damaged table. */
export function openRows(format: FileFormat, bytes: Uint8Array): Rows {
  const file = asBuffer(bytes);
  const header = headerOf(file, format);
  if (header.size !== file.length) refuse(format, `${file.length} bytes, but ${header.size} in its header`);
  const table = tableIn(format, header, file);
  if (typeof table === 'number') return refuse(format, 'damaged header (its lengths contradict)');
  const contentAt = (row: number) => {
    const [first, end] = table.bounds(row);
    return file.subarray(first + CONTENT_FROM, end);
  };
  const damaged = new Set<number>();
  if (!isWhole(file)) {
    const keyed = keyOf(table);
    for (let row = 0; row < table.count; row += 1) {
      const [first, end] = table.bounds(row);
      if (reasonAgainst(file.subarray(first, end), table.id(row), keyed)) damaged.add(row);
    }
  }
  return {
    ...table,
    damaged: [...damaged].map(table.id),
    content(id) {
      const row = table.find(id);
      return row === undefined || damaged.has(row) ? undefined : contentAt(row);
    },
    *entries() {
      for (let row = 0; row < table.count; row += 1)
        if (!damaged.has(row)) yield [table.id(row), contentAt(row)];
    },
  };
}

/**
 * The table, from the file's first bytes, of which `requested` were read (72 or more); or the number of bytes that it needs, if
 * that is more. Throws the format's error, also for a file that is shorter than in its header, so a second read is the last.
 */
export function openTable(format: FileFormat, bytes: Uint8Array, requested: number): RowTable | number {
  const beginning = asBuffer(bytes);
  const header = headerOf(beginning, format);
  if (beginning.length < Math.max(TABLE_FROM, Math.min(requested, header.size))) refuse(format, 'cut off');
  const needed = endOfTable(beginning);
  if (needed > header.size) refuse(format, 'damaged header (its lengths contradict)');
  // A copy, so that keeping it for minutes does not keep the rest of the read.
  return needed > beginning.length
    ? needed
    : tableIn(format, header, Buffer.from(beginning.subarray(0, needed)));
}

/** The format's own bytes of a row that was read by its range. Throws the format's error, also if it is another row. */
export function openRow(
  format: FileFormat,
  table: Pick<RowTable, 'text'>,
  bytes: Uint8Array,
  id: string,
): Buffer {
  const row = asBuffer(bytes);
  const reason = reasonAgainst(row, id, keyOf(table));
  if (reason) refuse(format, reason);
  return row.subarray(CONTENT_FROM);
}

function tableIn(
  format: FileFormat,
  header: KnownHeader,
  file: Buffer,
): RowTable & { bounds(row: number): readonly [first: number, end: number] } {
  const count = header.rows;
  const rowsFrom = file.length < TABLE_FROM ? Number.POSITIVE_INFINITY : endOfTable(file);
  if (rowsFrom > file.length) refuse(format, 'damaged header (its lengths contradict)');
  if (file.readUInt32LE(HEADER_BYTES + 4) !== tableChecksum(file, rowsFrom))
    refuse(format, 'damaged table (wrong checksum)');
  const textsFrom = TABLE_FROM + 4 * (count + 1);
  const idStart = (row: number) => textsFrom + file.readUInt32LE(TABLE_FROM + 4 * row);
  const startsFrom = idStart(count);
  const rowStart = (row: number) => rowsFrom + file.readUInt32LE(startsFrom + 4 * row);
  const find = (id: string) => {
    const key = Buffer.from(id);
    let first = 0;
    let end = count;
    while (first < end) {
      const row = (first + end) >>> 1;
      const order = key.compare(file, idStart(row), idStart(row + 1));
      if (order === 0) return row;
      if (order > 0) first = row + 1;
      else end = row;
    }
    return undefined;
  };
  return {
    header,
    text: file.toString('utf8', startsFrom + 4 * (count + 1), rowsFrom),
    count,
    id: (row) => file.toString('utf8', idStart(row), idStart(row + 1)),
    find,
    bounds: (row) => [rowStart(row), rowStart(row + 1)],
    rangeOf(id) {
      const row = find(id);
      return row === undefined ? undefined : [rowStart(row), rowStart(row + 1) - 1];
    },
    bytes: rowsFrom,
  };
}

function endOfTable(file: Buffer): number {
  return TABLE_FROM + file.readUInt32LE(HEADER_BYTES);
}

/** Covers everything needed to read a row: the header's fields, without the checksum of the whole file, and the table. */
export function tableChecksum(file: Buffer, rowsFrom: number): number {
  const fields = crc32(file.subarray(CHECKED_FROM, HEADER_BYTES + 4));
  return crc32(file.subarray(TABLE_FROM, rowsFrom), fields);
}

/** A key that ties rows to their table. */
export function keyOf({ text }: Pick<RowTable, 'text'>): number {
  return crc32(Buffer.from(text));
}

function reasonAgainst(row: Buffer, id: string, keyed: number): string | undefined {
  if (row.length < CONTENT_FROM || row.readUInt32LE(0) !== crc32(row.subarray(4)))
    return 'damaged row (wrong checksum)';
  const isOwn = row.readUInt32LE(4) === crc32(Buffer.from(id), keyed);
  return isOwn ? undefined : `another row in place of ${id}`;
}

function refuse({ name, error: FormatError }: FileFormat, reason: string): never {
  throw new FormatError(`${name}: ${reason}`);
}
