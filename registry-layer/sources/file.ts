import { readFile } from 'node:fs/promises';
import { parseEntries } from '../../shared/registry/parse-entries.ts';
import type { RegistryEntry } from '../../shared/registry/types.ts';

/** The entries of a list file. Throws an Error that names the file and what is wrong with it. */
export async function fileEntries(path: string): Promise<RegistryEntry[]> {
  try {
    return parseEntries(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
