/** The coin registry: a precompiled index that is opened, not parsed. registry-layer/FORMAT.md describes the file. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryError } from './error.ts';
import { lookupSections, MANIFEST_NAME, searchSections } from './format.ts';
import { readPart, type SearchIndex } from './index-file.ts';
import { parseManifest } from './manifest.ts';
import { IndexedRegistry } from './registry.ts';
import type { Registry, RegistryManifest } from './types.ts';

export { RegistryError } from './error.ts';
export { parseManifest } from './manifest.ts';
export type {
  EntryFilter,
  PageFilter,
  Registry,
  RegistryEntry,
  RegistryManifest,
  RegistryPage,
} from './types.ts';

/**
 * Opens the registry that a build wrote into `folder`. Reads and checks what lookups need (about 2 ms), decodes
 * nothing, and leaves the part for the fuzzy search to its first use. Throws RegistryError naming file and reason when
 * there is none, or it is truncated, corrupted, foreign, or of another format version.
 */
export function openRegistry(folder: string): Registry {
  const manifestFile = join(folder, MANIFEST_NAME);
  const manifest = parseManifest(
    manifestFile,
    reading(manifestFile, () => readFileSync(manifestFile, 'utf8')),
  );
  const file = join(folder, manifest.index);
  const { lookup, readSearch } = partsOf(file, manifest, (memory, position) => {
    reading(file, () => copyFromFile(file, manifest, memory, position));
  });
  return new IndexedRegistry(lookup, readSearch, manifest);
}

/** The same for an index that is in memory already, as fetched: all of it is checked, and copied, not kept. */
export function openRegistryBytes(bytes: Uint8Array, manifest: RegistryManifest): Registry {
  checkSize(manifest.index, manifest, bytes.length);
  const { lookup, readSearch } = partsOf(manifest.index, manifest, (memory, position) => {
    memory.set(bytes.subarray(position, position + memory.length));
  });
  const search = readSearch();
  return new IndexedRegistry(lookup, () => search, manifest);
}

/** Fills memory with what stands in the index from a position on. */
type Copy = (memory: Uint8Array, position: number) => void;

function partsOf(label: string, manifest: RegistryManifest, copy: Copy) {
  const { lookupBytes, lookupChecksum, searchBytes, searchChecksum } = manifest;
  const lookup = readPart(label, lookupSections, { size: lookupBytes, checksum: lookupChecksum }, (memory) =>
    copy(memory, 0),
  );
  const readSearch = (): SearchIndex => ({
    ...lookup,
    ...readPart(label, searchSections, { size: searchBytes, checksum: searchChecksum }, (memory) =>
      copy(memory, lookupBytes),
    ),
  });
  return { lookup, readSearch };
}

function copyFromFile(path: string, manifest: RegistryManifest, memory: Uint8Array, position: number): void {
  const descriptor = openSync(path, 'r');
  try {
    checkSize(path, manifest, fstatSync(descriptor).size);
    for (let at = 0; at < memory.length; ) {
      const count = readSync(descriptor, memory, at, memory.length - at, position + at);
      if (count === 0) throw new RegistryError(`Registry index ${path}: shorter than it was a moment ago`);
      at += count;
    }
  } finally {
    closeSync(descriptor);
  }
}

function checkSize(label: string, { lookupBytes, searchBytes }: RegistryManifest, size: number): void {
  const expected = lookupBytes + searchBytes;
  if (size !== expected)
    throw new RegistryError(`Registry index ${label}: ${size} bytes where its manifest says ${expected}`);
}

function reading<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new RegistryError(`Registry file ${path} cannot be read: ${reason}`, { cause: error });
  }
}
