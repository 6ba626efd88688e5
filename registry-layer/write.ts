import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_NAME } from '../shared/registry/format.ts';
import type { BuiltRegistry } from './build.ts';

const indexFile = /^coins-[0-9a-f]+\.idx$/;

/**
 * Puts a built registry into a folder. The index has its version in its name, so that renaming the manifest is the
 * one moment at which the folder changes from one registry to the next; whatever fails before leaves the previous
 * one whole. Then earlier indexes and files left by broken writes go.
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
