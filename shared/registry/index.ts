/** The coin registry: a precompiled index that is opened, not parsed. registry-layer/FORMAT.md describes the file. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryError } from './error.ts';
import { MANIFEST_NAME } from './format.ts';
import { type IndexFile, readIndex } from './index-file.ts';
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
 * Opens the registry that a build wrote into `folder`. Reads and checks the whole index once (about 4 ms) and
 * decodes nothing. Throws RegistryError naming file and reason when there is none, or it is truncated, corrupted,
 * foreign, or of another format version.
 */
export function openRegistry(folder: string): Registry {
  const manifestFile = join(folder, MANIFEST_NAME);
  const manifest = parseManifest(
    manifestFile,
    reading(manifestFile, () => readFileSync(manifestFile, 'utf8')),
  );
  const file = join(folder, manifest.index);
  return registryOf(
    file,
    reading(file, () => readIndexFile(file)),
    manifest,
  );
}

/** The same for an index that is in memory already, as fetched: the bytes are copied, not kept. */
export function openRegistryBytes(bytes: Uint8Array, manifest: RegistryManifest): Registry {
  const file = readIndex(manifest.index, bytes.length, (memory, position) => {
    memory.set(bytes.subarray(position, position + memory.length));
  });
  return registryOf(manifest.index, file, manifest);
}

function registryOf(label: string, file: IndexFile, manifest: RegistryManifest): Registry {
  if (file.checksum !== manifest.checksum) {
    throw new RegistryError(`Registry index ${label}: not the one that its manifest describes`);
  }
  return new IndexedRegistry(file, manifest);
}

function readIndexFile(path: string): IndexFile {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    return readIndex(path, size, (memory, position) => {
      for (let at = 0; at < memory.length; ) {
        const count = readSync(descriptor, memory, at, memory.length - at, position + at);
        if (count === 0) throw new RegistryError(`Registry index ${path}: shorter than it was a moment ago`);
        at += count;
      }
    });
  } finally {
    closeSync(descriptor);
  }
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
