import { hash } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { providerOf } from '../shared/providers/index.ts';
import type { RegistryEntry } from '../shared/registry/entries.ts';
import { FORMAT_VERSION, MANIFEST_NAME, type RegistryManifest } from '../shared/registry/manifest.ts';
import { encodeIndex, type Progress } from './encode.ts';

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

const indexFile = /^coins-[0-9a-f]+\.idx$/;

/**
 * Puts a built registry into a folder. The index has its version in its name, so renaming the manifest switches the
 * folder from one registry to the next; a failure before that leaves the previous one intact. Afterwards earlier
 * indexes and the files of failed writes are removed.
 */
export async function writeRegistry(folder: string, { bytes, manifest }: BuiltRegistry): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeAside(join(folder, manifest.index), bytes);
  await writeAside(join(folder, MANIFEST_NAME), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of await readdir(folder)) {
    const isOurs = indexFile.test(name) || name.endsWith(ASIDE);
    if (isOurs && name !== manifest.index) await rm(join(folder, name), { force: true });
  }
}

const ASIDE = '.new';

async function writeAside(path: string, content: Uint8Array | string): Promise<void> {
  await writeFile(`${path}${ASIDE}`, content);
  await rename(`${path}${ASIDE}`, path);
}
