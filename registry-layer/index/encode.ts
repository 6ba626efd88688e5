import {
  ALIGNMENT,
  FORMAT_VERSION,
  HEADER_BYTES,
  lookupSections,
  MAGIC,
  type Sections,
  SIZE_OFFSET,
  searchSections,
  VERSION_OFFSET,
} from '../../shared/registry/format.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';
import { symbolAndIdSections } from './lookups.ts';
import { compareEntries } from './order.ts';
import { rowSections } from './rows.ts';
import { wordSections } from './search.ts';

/** Called with the name of each step. */
export type Progress = (step: string) => void;

/** The two parts of an index file: the same bytes for the same entries, in whatever order they come. */
export function encodeIndex(entries: readonly RegistryEntry[], progress: Progress = () => {}) {
  progress('sorting');
  const rows = entries.toSorted(compareEntries);
  progress('indexing ids and symbols');
  const lookup = assemble(lookupSections, { ...rowSections(rows), ...symbolAndIdSections(rows) });
  progress('indexing words');
  return { lookup, search: assemble(searchSections, wordSections(rows)) };
}

type Section = Uint8Array | Uint16Array | Uint32Array;

function assemble<Layout extends Sections>(
  layout: Layout,
  contents: Readonly<Record<keyof Layout, Section>>,
): Uint8Array {
  const names: (keyof Layout)[] = Object.keys(layout);
  const table = new Uint32Array(names.length * 2);
  let size = HEADER_BYTES + table.byteLength;
  names.forEach((name, index) => {
    table.set([size, contents[name].byteLength], index * 2);
    size = Math.ceil((size + contents[name].byteLength) / ALIGNMENT) * ALIGNMENT;
  });

  const bytes = Buffer.alloc(size);
  const put = ({ buffer, byteOffset, byteLength }: Section, at: number): void => {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  };
  bytes.set(MAGIC);
  bytes.writeUInt32LE(FORMAT_VERSION, VERSION_OFFSET);
  bytes.writeUInt32LE(size, SIZE_OFFSET);
  put(table, HEADER_BYTES);
  names.forEach((name, index) => {
    put(contents[name], table[index * 2] ?? 0);
  });
  return bytes;
}
