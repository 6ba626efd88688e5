import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseEnvironment } from '../shared/platform/environment.ts';
import { DAY_MS } from '../shared/platform/time.ts';
import { SCHEDULED_TIME_MS, scheduledClientFor } from '../shared/providers/index.ts';
import { parseEntries, type RegistryEntry } from '../shared/registry/entries.ts';
import { openIndexBytes } from '../shared/registry/index-file.ts';
import { RegistryLookups } from '../shared/registry/lookups.ts';
import { implausibleList } from '../shared/registry/plausible.ts';
import { buildRegistry } from './build.ts';
import { simulatedEntries } from './simulated/list.ts';

interface EntrySource {
  /** The name for the manifest. */
  readonly name: string;
  readonly read: (notice: (text: string) => void) => Promise<RegistryEntry[]>;
}

const cacheFile = join(import.meta.dirname, '../.cache/registry/coins.json');

/** `live`, `simulated` or the path of a `.json` file; `undefined` for anything else. */
export function sourceOf(text: string): EntrySource | undefined {
  if (text === 'live') return { name: 'live', read: (notice) => liveEntries({ cacheFile, notice }) };
  if (text === 'simulated') return { name: 'simulated', read: async () => simulatedEntries() };
  if (text.endsWith('.json')) return { name: basename(text), read: () => fileEntries(text) };
  return undefined;
}

/** The entries of a list file. Throws an Error that names the file and what is wrong with it. */
async function fileEntries(path: string): Promise<RegistryEntry[]> {
  try {
    return parseEntries(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

interface LiveOptions {
  /** Where the list is stored. */
  readonly cacheFile: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called with a sentence about the list's origin. */
  readonly notice: (text: string) => void;
}

type Kept = Readonly<{ from: string; list: unknown }>;

/** One `GET /coins`, stored on disk for 24 hours. Throws an Error that says why the list cannot be had or used. */
export async function liveEntries(options: LiveOptions): Promise<RegistryEntry[]> {
  const { cacheFile, environment = process.env, notice } = options;
  const client = scheduledClientFor(parseEnvironment(environment), 'coins');
  const { baseUrl } = client.provider.endpoint(parseEnvironment(environment));
  const kept = await readKept(cacheFile, baseUrl);
  if (kept) {
    notice(`Using the provider's list of ${kept.fetchedAt.toISOString()}, kept for 24 hours in ${cacheFile}`);
    return parseEntries(kept.list);
  }
  notice(`Asking ${new URL(baseUrl).host} for its list of coins`);
  const { data } = await client.fetch(client.provider.coins(), Date.now() + SCHEDULED_TIME_MS);
  const { bytes, manifest } = buildRegistry(data, { source: 'live' });
  const wrong = implausibleList(new RegistryLookups(openIndexBytes(bytes, manifest)));
  if (wrong) throw new Error(`The provider's list of coins cannot be true: ${wrong}`);
  await keep(cacheFile, { from: baseUrl, list: data });
  return [...data];
}

async function readKept(file: string, from: string) {
  try {
    const { mtime } = await stat(file);
    if (Date.now() - mtime.getTime() >= DAY_MS) return undefined;
    const kept: Kept = JSON.parse(await readFile(file, 'utf8'));
    return kept.from === from ? { list: kept.list, fetchedAt: mtime } : undefined;
  } catch {
    return undefined; // absent or not readable: the list is fetched again
  }
}

async function keep(file: string, kept: Kept): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(kept));
  await rename(`${file}.new`, file);
}
