import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryError } from './error.ts';
import { lookupSections, MANIFEST_NAME, searchSections } from './format.ts';
import { type LookupIndex, readPart, type SearchIndex } from './index-file.ts';
import { parseManifest } from './manifest.ts';
import type { RegistryManifest } from './types.ts';

/** An opened index: what lookups need, and what the search needs besides once that is asked for. */
export interface RegistryParts {
  readonly manifest: RegistryManifest;
  readonly lookup: LookupIndex;
  /** Throws RegistryError where the search's part is damaged. */
  readonly readSearch: () => SearchIndex;
}

/** The parts of the registry in a folder. Throws RegistryError for whatever `openRegistry` refuses. */
export function openParts(folder: string): RegistryParts {
  const manifestFile = join(folder, MANIFEST_NAME);
  const manifest = parseManifest(
    manifestFile,
    reading(manifestFile, () => readFileSync(manifestFile, 'utf8')),
  );
  const file = join(folder, manifest.index);
  return partsOf(file, manifest, (memory, position) => {
    reading(file, () => copyFromFile(file, manifest, memory, position));
  });
}

/** The same for an index that is in memory already, both parts of it checked and copied. */
export function openPartsOf(bytes: Uint8Array, manifest: RegistryManifest): RegistryParts {
  checkSize(manifest.index, manifest, bytes.length);
  const parts = partsOf(manifest.index, manifest, (memory, position) => {
    memory.set(bytes.subarray(position, position + memory.length));
  });
  const search = parts.readSearch();
  return { ...parts, readSearch: () => search };
}

/** Fills memory with what stands in the index from a position on. */
type Copy = (memory: Uint8Array, position: number) => void;

function partsOf(label: string, manifest: RegistryManifest, copy: Copy): RegistryParts {
  const { lookupBytes, lookupChecksum, searchBytes, searchChecksum } = manifest;
  const lookup = readPart(label, lookupSections, { size: lookupBytes, checksum: lookupChecksum }, (memory) =>
    copy(memory, 0),
  );
  const readSearch = () => ({
    ...lookup,
    ...readPart(label, searchSections, { size: searchBytes, checksum: searchChecksum }, (memory) =>
      copy(memory, lookupBytes),
    ),
  });
  return { manifest, lookup, readSearch };
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
