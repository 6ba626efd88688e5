/** The pairs of our coins and CoinGecko's: a table beside the index, named by the same manifest. */
import { join } from 'node:path';
import { variables } from '../platform/environment.ts';
import { Held } from '../platform/held.ts';
import { count } from '../platform/metrics.ts';
import { objectsOf } from '../platform/objects.ts';
import { openedRegistry, refreshRegistry } from './container.ts';
import { RegistryError, type RegistryManifest } from './manifest.ts';
import { REGISTRY_PREFIX } from './refresh.ts';

export interface CoinGeckoIds {
  readonly size: number;
  theirs(ourId: string): string | undefined;
  ours(theirId: string): string | undefined;
  pairs(): Iterable<readonly [ours: string, theirs: string]>;
  /** False if a line of the table is not two ids. */
  readonly isWhole: boolean;
}

interface Environment {
  readonly REGISTRY_BUCKET?: string;
}

const READ_MS = 3_000;
/** The longest wait of a request that has an older table. */
const WAIT_MS = 50;
/** Leading hex digits of a table's SHA-256 in its name: equal tables have equal names. */
const VERSION_DIGITS = 12;

/** The ids by the names of their tables. */
const held = new Held<CoinGeckoIds>({
  readMs: READ_MS,
  onFailure: () => count('CoinIdsUnreadable'),
});
let inUse: { readonly name: string | undefined; readonly ids: CoinGeckoIds } = {
  name: undefined,
  ids: coinGeckoIdsIn(''),
};

/**
 * The table of the registry in use, which is refreshed first as for any other lookup; empty if none was ever built. Until a newer
 * table is read, the previous one stays.
 */
export async function coinGeckoIds(environment: Environment): Promise<CoinGeckoIds> {
  await refreshRegistry(environment);
  const manifest = openedRegistry()?.manifest;
  const name = manifest && coinGeckoIdsOf(manifest);
  if (name === undefined || name === inUse.name) return inUse.ids;
  if (inUse.name !== undefined && !held.peek(name)) held.put(name, inUse.ids);
  const source = {
    read: async (signal: AbortSignal) => coinGeckoIdsIn(await read(name, environment, signal)),
    untilOf: () => Number.POSITIVE_INFINITY,
    waitMs: WAIT_MS,
  };
  const ids = await held.get(name, source).catch(() => inUse.ids);
  if (ids !== inUse.ids) {
    if (inUse.name !== undefined) held.forget(inUse.name);
    inUse = { name, ids };
  }
  return ids;
}

/** Reads a table from the layer, or from S3 if the registry in use was published later. Throws if neither has it completely. */
async function read(
  name: string,
  { REGISTRY_BUCKET: bucket }: Environment,
  signal: AbortSignal,
): Promise<string> {
  const { readFile } = await import('node:fs/promises'); // not loaded by functions that do not need it
  const folder = process.env.REGISTRY_PATH || variables.REGISTRY_PATH.default;
  const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  if (text !== undefined && coinGeckoIdsName(text) === name) return text;
  if (!bucket) throw new RegistryError(`Registry file ${name} is missing or damaged`);
  const { bytes } = await objectsOf(bucket, REGISTRY_PREFIX).get(name, signal);
  const published = Buffer.from(bytes).toString();
  if (coinGeckoIdsName(published) !== name)
    throw new RegistryError(`Registry object ${name}: its content does not belong to its name`);
  return published;
}

/** The name of a registry's table; undefined if it has none, or no name of one. */
export function coinGeckoIdsOf({ coinGeckoIds: name }: RegistryManifest): string | undefined {
  return typeof name === 'string' && /^[\w-]+\.tsv$/.test(name) ? name : undefined;
}

/**
 * The table as it is stored: a line for each pair, our id, a tab, theirs; sorted by our ids. A pair whose ids a line cannot hold
 * is left out, and not escaped: no real id has a tab or a line feed, and readers of earlier versions know no escapes.
 */
export function coinGeckoIdsText(pairs: Iterable<readonly [ours: string, theirs: string]>): string {
  const lines = [...pairs]
    .filter((pair) => pair.every(isWritable))
    .map(([ours, theirs]) => `${ours}\t${theirs}\n`);
  return lines.sort().join('');
}

function isWritable(id: string): boolean {
  return id !== '' && !/[\t\n]/.test(id);
}

/** The name of a table with this text. */
export function coinGeckoIdsName(text: string): string {
  const { hash } = process.getBuiltinModule('node:crypto');
  return `coingecko-ids-${hash('sha256', text).slice(0, VERSION_DIGITS)}.tsv`;
}

/** Reads a table's text without lines that are not two ids: one of them must not cost all others. */
export function coinGeckoIdsIn(text: string): CoinGeckoIds {
  const theirs = new Map<string, string>();
  const ours = new Map<string, string>();
  let isWhole = true;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [our, their, ...rest] = line.split('\t');
    if (our && their && rest.length === 0) {
      theirs.set(our, their);
      ours.set(their, our);
    } else isWhole = false;
  }
  return {
    isWhole,
    size: theirs.size,
    theirs: (ourId) => theirs.get(ourId),
    ours: (theirId) => ours.get(theirId),
    pairs: () => theirs,
  };
}
