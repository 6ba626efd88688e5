import { asBuffer, HEADER_BYTES, headerOf } from '../binary-file.ts';
import { format } from './layout.ts';

/** The ids of all rows of a snapshot that `openSnapshot` has opened, for jobs: it parses every row. */
export function rowIds(bytes: Uint8Array): string[] {
  const file = asBuffer(bytes);
  const { rows } = headerOf(file, format);
  const startOf = (row: number) => file.readUInt32LE(HEADER_BYTES + row * 4);
  return Array.from({ length: rows }, (_, row) => {
    const text = file.toString('utf8', startOf(row), startOf(row + 1));
    return (JSON.parse(text) as { readonly id: string }).id; // every row was written with one
  });
}
