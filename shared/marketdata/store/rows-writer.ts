/** Writes files of rows, as `rows.ts` reads them. */
import { crc32, type FileFormat, type FileHeader, HEADER_BYTES, seal } from '../binary-file.ts';
import { CONTENT_FROM, keyOf, TABLE_FROM, tableChecksum } from './rows.ts';

interface Content {
  readonly header: Omit<FileHeader, 'rows'>;
  readonly text?: string;
  /**
   * Each id once, with the format's own bytes. Ids that are not well-formed Unicode are left out, because no request can
   * contain them.
   */
  readonly rows: Iterable<readonly [id: string, content: Uint8Array]>;
}

export function encodeRows(format: FileFormat, { header, text = '', rows }: Content): Buffer {
  const sorted = Array.from(rows, ([id, content]) => ({ id, key: Buffer.from(id), content }))
    .filter(({ id }) => id.isWellFormed())
    .sort((a, b) => a.key.compare(b.key));
  const texts = sorted.map(({ key }) => key);
  const starts = startsOf(texts.map(({ length }) => length));
  const rowStarts = startsOf(sorted.map(({ content }) => CONTENT_FROM + content.length));
  const table = Buffer.concat([starts.bytes, ...texts, rowStarts.bytes, Buffer.from(text)]);
  const rowsFrom = TABLE_FROM + table.length;
  const file = Buffer.alloc(rowsFrom + rowStarts.end);
  table.copy(file, TABLE_FROM);
  file.writeUInt32LE(table.length, HEADER_BYTES);
  const keyed = keyOf({ text });
  let from = rowsFrom;
  for (const { key, content } of sorted) {
    const end = from + CONTENT_FROM + content.length;
    file.writeUInt32LE(crc32(key, keyed), from + 4);
    file.set(content, from + CONTENT_FROM);
    file.writeUInt32LE(crc32(file.subarray(from + 4, end)), from);
    from = end;
  }
  return seal(file, format, { ...header, rows: sorted.length }, () =>
    file.writeUInt32LE(tableChecksum(file, rowsFrom), HEADER_BYTES + 4),
  );
}

/** The starts of consecutive parts of these lengths, and the end of the last one. */
function startsOf(lengths: readonly number[]): { readonly bytes: Buffer; readonly end: number } {
  const bytes = Buffer.alloc(4 * (lengths.length + 1));
  let end = 0;
  for (const [index, length] of lengths.entries()) {
    bytes.writeUInt32LE(end, 4 * index);
    end += length;
  }
  bytes.writeUInt32LE(end, 4 * lengths.length);
  return { bytes, end };
}
