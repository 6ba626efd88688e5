import { hash } from 'node:crypto';
import { providerOf } from '../shared/providers/index.ts';
import { FORMAT_VERSION } from '../shared/registry/format.ts';
import type { RegistryManifest } from '../shared/registry/manifest.ts';
import type { RegistryEntry } from '../shared/registry/types.ts';
import { encodeIndex, type Progress } from './index/encode.ts';

export interface BuiltRegistry {
  readonly bytes: Uint8Array;
  readonly manifest: RegistryManifest;
}

interface BuildOptions {
  /** The origin of the entries, for the manifest. */
  readonly source: string;
  readonly builtAt?: Date;
  readonly progress?: Progress;
}

/** Builds the index of valid entries (`parseEntries`) and its manifest, in memory. */
export function buildRegistry(entries: readonly RegistryEntry[], options: BuildOptions): BuiltRegistry {
  const { source, builtAt = new Date(), progress } = options;
  const { lookup, search } = encodeIndex(entries, progress);
  const bytes = Buffer.concat([lookup, search]);
  const sha256 = hash('sha256', bytes);
  const version = sha256.slice(0, 12);
  const manifest = {
    index: `coins-${version}.idx`,
    formatVersion: FORMAT_VERSION,
    version,
    sha256,
    lookupBytes: lookup.byteLength,
    searchBytes: search.byteLength,
    source,
    provider: source === 'simulated' ? source : providerOf('coins').name,
    builtAt: builtAt.toISOString(),
    entries: entries.length,
    active: entries.filter((entry) => entry.is_active).length,
    ranked: entries.filter((entry) => entry.is_active && entry.rank > 0).length,
  };
  return { bytes, manifest };
}
