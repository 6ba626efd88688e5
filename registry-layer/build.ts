import { hash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../shared/platform/whole-file.ts';
import { coinProvider } from '../shared/providers/index.ts';
import { coinGeckoIdsName, coinGeckoIdsText } from '../shared/registry/coingecko-ids.ts';
import type { RegistryEntry } from '../shared/registry/entries.ts';
import { FORMAT_VERSION, MANIFEST_NAME, type RegistryManifest } from '../shared/registry/manifest.ts';
import { encodeIndex, type Progress } from './encode.ts';
import { successorsIn } from './successors.ts';

export interface BuiltRegistry {
  readonly bytes: Uint8Array;
  readonly manifest: RegistryManifest;
  /** The table named by `manifest.coinGeckoIds`. */
  readonly coinGeckoIds?: string | undefined;
}

interface BuildOptions {
  /** The origin of the entries, for the manifest. */
  readonly source: string;
  /** Pairs of our ids and CoinGecko's; none: the registry gets no table of them. */
  readonly pairs?: ReadonlyMap<string, string> | undefined;
  readonly builtAt?: Date;
  readonly progress?: Progress;
}

/** Builds the index of valid entries (`parseEntries`) and its manifest, in memory. */
export function buildRegistry(entries: readonly RegistryEntry[], options: BuildOptions): BuiltRegistry {
  const { source, pairs, builtAt = new Date(), progress } = options;
  const coinGeckoIds = pairs && coinGeckoIdsText(pairs);
  const { lookup, search } = encodeIndex(entries, progress);
  const bytes = Buffer.concat([lookup, search]);
  const sha256 = hash('sha256', bytes);
  const version = sha256.slice(0, 12);
  const manifest: RegistryManifest = {
    index: `coins-${version}.idx`,
    formatVersion: FORMAT_VERSION,
    version,
    sha256,
    lookupBytes: lookup.byteLength,
    searchBytes: search.byteLength,
    source,
    provider: source === 'simulated' ? source : coinProvider.name,
    builtAt: builtAt.toISOString(),
    entries: entries.length,
    active: entries.filter((entry) => entry.is_active).length,
    ranked: entries.filter((entry) => entry.is_active && entry.rank > 0).length,
    ...(coinGeckoIds !== undefined && { coinGeckoIds: coinGeckoIdsName(coinGeckoIds) }),
    ...successorsIn(entries),
  };
  return { bytes, manifest, coinGeckoIds };
}

const versionedFile = /^(coins-[0-9a-f]+\.idx|coingecko-ids-[0-9a-f]+\.tsv)(\.new)?$/;

/**
 * Writes a built registry into a folder. Index and table have their versions in their names, so renaming the manifest switches
 * the folder from one registry to the next; a failure before that leaves the previous one intact. Afterwards earlier files and
 * those of killed builds are removed.
 */
export async function writeRegistry(folder: string, built: BuiltRegistry): Promise<void> {
  const { bytes, manifest, coinGeckoIds } = built;
  const named = [manifest.index, manifest.coinGeckoIds];
  await mkdir(folder, { recursive: true });
  writeWhole(join(folder, manifest.index), bytes);
  if (manifest.coinGeckoIds !== undefined && coinGeckoIds !== undefined)
    writeWhole(join(folder, manifest.coinGeckoIds), coinGeckoIds);
  writeWhole(join(folder, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of await readdir(folder)) {
    if (versionedFile.test(name) && !named.includes(name)) await rm(join(folder, name), { force: true });
  }
}
