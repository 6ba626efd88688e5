import { CHECKSUM_BYTES, CheckedMemory } from '../../shared/registry/checksum.ts';
import {
  ALIGNMENT,
  CHECKSUM_OFFSET,
  FORMAT_VERSION,
  lookupSections,
  MAGIC,
  PRELUDE_BYTES,
  type Sections,
  SIZE_OFFSET,
  searchSections,
  VERSION_OFFSET,
} from '../../shared/registry/format.ts';
import type { RegistryEntry } from '../../shared/registry/index.ts';
import { compareEntries } from '../order.ts';
import { symbolAndIdSections } from './lookups.ts';
import { rowSections } from './rows.ts';
import { wordSections } from './search.ts';

export interface EncodedPart {
  readonly bytes: Uint8Array;
  /** Hex of the checksum in the header. */
  readonly checksum: string;
}

/** The two parts of an index file, which follow each other in it. */
export interface EncodedIndex {
  readonly lookup: EncodedPart;
  readonly search: EncodedPart;
}

/** Called with what is being done. */
export type Progress = (step: string) => void;

/** The index of the entries: the same bytes for the same entries, in whatever order they come. */
export function encodeIndex(entries: readonly RegistryEntry[], progress: Progress = () => {}): EncodedIndex {
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
): EncodedPart {
  const names: (keyof Layout)[] = Object.keys(layout);
  const table = new Uint32Array(names.length * 2);
  let size = aligned(PRELUDE_BYTES + table.byteLength);
  names.forEach((name, index) => {
    table.set([size, contents[name].byteLength], index * 2);
    size += aligned(contents[name].byteLength);
  });

  const memory = new CheckedMemory(size);
  const bytes = Buffer.from(memory.file.buffer, memory.file.byteOffset, size);
  const put = ({ buffer, byteOffset, byteLength }: Section, at: number): void => {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  };
  put(table, PRELUDE_BYTES);
  names.forEach((name, index) => {
    put(contents[name], table[index * 2] ?? 0);
  });
  const checksum = memory.checksum(PRELUDE_BYTES);
  bytes.set(MAGIC, 0);
  bytes.writeUInt32LE(FORMAT_VERSION, VERSION_OFFSET);
  bytes.writeUInt32LE(size, SIZE_OFFSET);
  bytes.write(checksum, CHECKSUM_OFFSET, CHECKSUM_BYTES, 'hex');
  return { bytes, checksum };
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}
