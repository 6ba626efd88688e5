/** The coin registry: a precompiled index that is opened, not parsed. registry-layer/FORMAT.md describes the file. */
import { openParts, openPartsOf } from './open.ts';
import { IndexedRegistry } from './registry.ts';
import type { Registry, RegistryManifest } from './types.ts';

export { RegistryError } from './error.ts';
export { parseManifest } from './manifest.ts';
export type {
  EntryFilter,
  PageFilter,
  Registry,
  RegistryEntry,
  RegistryLookups,
  RegistryManifest,
  RegistryPage,
} from './types.ts';

/**
 * Opens the registry that a build wrote into `folder`. Reads and checks what lookups need (about 2 ms), decodes
 * nothing, and leaves the part for the fuzzy search to its first use. Throws RegistryError naming file and reason when
 * there is none, or it is truncated, corrupted, foreign, or of another format version.
 */
export function openRegistry(folder: string): Registry {
  return new IndexedRegistry(openParts(folder));
}

/** The same for an index that is in memory already, as fetched: all of it is checked, and copied, not kept. */
export function openRegistryBytes(bytes: Uint8Array, manifest: RegistryManifest): Registry {
  return new IndexedRegistry(openPartsOf(bytes, manifest));
}
