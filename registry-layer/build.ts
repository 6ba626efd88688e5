import { createHash } from 'node:crypto';
import { FORMAT_VERSION } from '../shared/registry/format.ts';
import type { RegistryEntry, RegistryManifest } from '../shared/registry/index.ts';
import { encodeIndex, type Progress } from './index/encode.ts';

export interface BuiltRegistry {
  readonly bytes: Uint8Array;
  readonly manifest: RegistryManifest;
}

export interface BuildOptions {
  /** Where the entries come from, as the manifest shall say. */
  readonly source: string;
  readonly builtAt?: Date;
  readonly progress?: Progress;
}

/** Builds the index of valid entries (`parseEntries`) and its manifest, in memory. */
export function buildRegistry(entries: readonly RegistryEntry[], options: BuildOptions): BuiltRegistry {
  const { source, builtAt = new Date(), progress } = options;
  const { lookup, search } = encodeIndex(entries, progress);
  const bytes = Buffer.concat([lookup.bytes, search.bytes]);
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const manifest = {
    index: `coins-${version}.idx`,
    formatVersion: FORMAT_VERSION,
    version,
    lookupBytes: lookup.bytes.byteLength,
    lookupChecksum: lookup.checksum,
    searchBytes: search.bytes.byteLength,
    searchChecksum: search.checksum,
    source,
    builtAt: builtAt.toISOString(),
    entries: entries.length,
    active: entries.filter((entry) => entry.is_active).length,
    ranked: entries.filter((entry) => entry.is_active && entry.rank > 0).length,
  };
  return { bytes, manifest };
}
