import { mkdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseEnvironment } from '../shared/platform/environment.ts';
import { messageOf } from '../shared/platform/message-of.ts';
import { DAY_MS } from '../shared/platform/time.ts';
import { writeWhole } from '../shared/platform/whole-file.ts';
import { coinProvider, SCHEDULED_TIME_MS, scheduledClient } from '../shared/providers/index.ts';
import { idClientFor, idSource } from '../shared/providers/sources.ts';
import { parseEntries, type RegistryEntry } from '../shared/registry/entries.ts';
import { openIndexBytes } from '../shared/registry/index-file.ts';
import { RegistryLookups } from '../shared/registry/lookups.ts';
import { implausibleList } from '../shared/registry/plausible.ts';
import { buildRegistry } from './build.ts';
import { fetchTheirCoins, ourCoins } from './coin-lists.ts';
import { match } from './match.ts';
import { simulatedEntries } from './simulated/list.ts';
import { simulatedPairs } from './simulated/listing.ts';

type Pairs = ReadonlyMap<string, string>;
type Notice = (text: string) => void;

export interface EntrySource {
  /** The name for the manifest. */
  readonly name: string;
  readonly read: (notice: Notice) => Promise<RegistryEntry[]>;
  /** The ids of its coins at the source of ids; undefined if it has none. */
  readonly match: (entries: readonly RegistryEntry[], notice: Notice) => Promise<Pairs | undefined>;
}

const cacheFile = join(import.meta.dirname, '../.cache/registry/coins.json');
const idsCacheFile = join(import.meta.dirname, '../.cache/registry/ids.json');

/** `live`, `simulated` or the path of a `.json` file; `undefined` for anything else. */
export function sourceOf(text: string): EntrySource | undefined {
  if (text === 'live')
    return {
      name: 'live',
      read: (notice) => liveEntries({ cacheFile, notice }),
      match: (entries, notice) => livePairs(entries, { cacheFile: idsCacheFile, notice }),
    };
  if (text === 'simulated')
    return {
      name: 'simulated',
      read: async () => simulatedEntries(),
      match: async (entries) => simulatedPairs(entries),
    };
  if (text.endsWith('.json'))
    return {
      name: basename(text),
      read: (notice) => fileEntries(text, notice),
      match: async () => undefined,
    };
  return undefined;
}

/** The entries of a list file. Throws an Error that names the file and the problem. */
async function fileEntries(path: string, notice: Notice): Promise<RegistryEntry[]> {
  try {
    return parseEntries(JSON.parse(await readFile(path, 'utf8')), notice);
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}

interface LiveOptions {
  /** Where the list is stored. */
  readonly cacheFile: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Called with a sentence about the list's origin. */
  readonly notice: Notice;
}

type Kept = Readonly<{ from: string; list: unknown }>;

/** One `GET /coins`, stored on disk for 24 hours. Throws an Error with the reason if the list is unavailable or unusable. */
export async function liveEntries(options: LiveOptions): Promise<RegistryEntry[]> {
  const { cacheFile, environment = process.env, notice } = options;
  const client = scheduledClient(parseEnvironment(environment), coinProvider);
  const { baseUrl } = client.provider.endpoint(parseEnvironment(environment));
  const kept = await readKept(cacheFile, baseUrl);
  if (kept) {
    notice(`Using the provider's list of ${kept.fetchedAt.toISOString()}, kept for 24 hours in ${cacheFile}`);
    return parseEntries(kept.list, notice);
  }
  notice(`Fetching the list of coins from ${new URL(baseUrl).host}`);
  const { data } = await client.fetch(client.provider.coins(notice), Date.now() + SCHEDULED_TIME_MS);
  const { bytes, manifest } = buildRegistry(data, { source: 'live' });
  const wrong = implausibleList(new RegistryLookups(openIndexBytes(bytes, manifest)));
  if (wrong) throw new Error(`The provider's list of coins cannot be true: ${wrong}`);
  await keep(cacheFile, { from: baseUrl, list: data });
  return [...data];
}

/**
 * The live coins' ids at the source that ID_SOURCES names, with the prices of one `GET /tickers`; kept for 24 hours like the
 * list. Undefined if it is turned off or fails: then the registry is built without them.
 */
export async function livePairs(
  entries: readonly RegistryEntry[],
  { cacheFile, environment = process.env, notice }: LiveOptions,
): Promise<Pairs | undefined> {
  const settings = parseEnvironment(environment);
  const source = idClientFor(settings);
  // With another address for the provider, its coins may be others, so the ids need their own address too.
  const isOwn = settings[coinProvider.settings.baseUrl] && !settings[idSource.settings.baseUrl];
  if (!source || isOwn) return undefined;
  const { baseUrl } = source.provider.endpoint(settings);
  const kept = await readKept(cacheFile, baseUrl);
  if (kept) return new Map(kept.list as [string, string][]); // in the format of the write below
  notice(`Fetching the list of coins from ${new URL(baseUrl).host}, which takes a minute`);
  try {
    const theirs = await fetchTheirCoins(source);
    const client = scheduledClient(settings, coinProvider);
    const { data } = await client.fetch(client.provider.tickers(), Date.now() + SCHEDULED_TIME_MS);
    const tickers = new Map(data.tickers.map((ticker) => [ticker.id, ticker]));
    const { pairs } = match(
      ourCoins(entries, (id) => tickers.get(id)?.quotes.USD),
      theirs,
    );
    await keep(cacheFile, { from: baseUrl, list: [...pairs] });
    return pairs;
  } catch (error) {
    notice(`The registry is built without those ids: ${messageOf(error)}`);
    return undefined;
  }
}

async function readKept(file: string, from: string) {
  try {
    const { mtime } = await stat(file);
    if (Date.now() - mtime.getTime() >= DAY_MS) return undefined;
    const kept: Kept = JSON.parse(await readFile(file, 'utf8'));
    return kept.from === from ? { list: kept.list, fetchedAt: mtime } : undefined;
  } catch {
    return undefined; // missing or unreadable: the list is fetched again
  }
}

async function keep(file: string, kept: Kept): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  writeWhole(file, JSON.stringify(kept));
}
