import { createHash } from 'node:crypto';
import { count } from '../../platform/metrics.ts';
import { nothingYet, type Objects } from '../../platform/objects.ts';
import type { CoinQuotes, SourceMap, SourceState } from './source-map.ts';

export const SOURCES_PREFIX = 'sources/';
/** The map's own name follows from its content; `filled` says of which coins the past is stored. */
export const objectNames = {
  manifest: 'manifest',
  quotes: 'quotes',
  maps: 'map-',
  filled: 'filled',
} as const;
const VERSION = 1;
const READ_TIMEOUT_MS = 10_000;

/** The map, with all that the next run of its job goes on from. */
export interface PublishedMap extends SourceMap {
  readonly state: SourceState;
  /** When it was published, in milliseconds since the epoch. */
  readonly at: number;
}

/** What is published, with what it takes to replace that and nothing else. */
export interface Replaceable<T> {
  /** Undefined if it cannot be used: that is no reason to leave it there. */
  readonly content: T | undefined;
  /** Undefined: there is nothing. */
  readonly etag: string | undefined;
}

/** What is known of other sources. Throws what `objectsOf` throws. */
export interface SourcesReader {
  publishedMap(): Promise<Replaceable<PublishedMap>>;
  publishedQuotes(): Promise<Replaceable<CoinQuotes>>;
}

/** Of objects below the prefix, wherever they lie. */
export function sourcesReaderIn(objects: Pick<Objects, 'get'>): SourcesReader {
  const get = (name: string) => objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);

  return {
    async publishedMap() {
      const object = await get(objectNames.manifest);
      const manifest = object && usable(() => manifestIn(object.bytes));
      if (!manifest) return { content: undefined, etag: object?.etag };
      const bytes = (await get(manifest.map))?.bytes;
      return { content: usable(() => mapIn(bytes, manifest)), etag: object.etag };
    },
    async publishedQuotes() {
      const object = await get(objectNames.quotes);
      return { content: object && usable(() => quotesIn(object.bytes)), etag: object?.etag };
    },
  };
}

/** The objects that make a map, in the order in which they are put. */
export function mapObjects({ coins, state, at }: PublishedMap) {
  const text = JSON.stringify({ version: VERSION, coins: Object.fromEntries(coins), state });
  const sha256 = sha256Of(text);
  const manifest: Manifest = { version: VERSION, map: nameOf(sha256), sha256, at };
  return {
    map: { name: manifest.map, text },
    manifest: { name: objectNames.manifest, text: JSON.stringify(manifest) },
  };
}

export function quotesText({ takenAt, coins }: CoinQuotes): string {
  return JSON.stringify({ version: VERSION, takenAt, coins: Object.fromEntries(coins) });
}

interface Manifest {
  readonly version: typeof VERSION;
  /** Name of the map's object. */
  readonly map: string;
  /** Of that object, in hex. */
  readonly sha256: string;
  readonly at: number;
}

function manifestIn(bytes: Uint8Array): Manifest {
  const { map, sha256, at } = read<Manifest>(bytes);
  if (typeof sha256 !== 'string' || typeof at !== 'number' || map !== nameOf(sha256))
    throw new Unusable('a manifest that names no map');
  return { version: VERSION, map, sha256, at };
}

function mapIn(bytes: Uint8Array | undefined, { sha256, at }: Manifest): PublishedMap {
  if (!bytes || sha256Of(bytes) !== sha256) throw new Unusable('not the map of the manifest');
  const { coins, state } = read<StoredMap>(bytes);
  return { coins: new Map(Object.entries(coins)), state, at };
}

function quotesIn(bytes: Uint8Array): CoinQuotes {
  const { takenAt, coins } = read<StoredQuotes>(bytes);
  if (typeof takenAt !== 'number' || typeof coins !== 'object' || coins === null)
    throw new Unusable('no quotes');
  return { takenAt, coins: new Map(Object.entries(coins)) };
}

type Inside<M> = M extends ReadonlyMap<string, infer T> ? T : never;
interface StoredMap {
  readonly coins: Readonly<Record<string, Inside<SourceMap['coins']>>>;
  readonly state: SourceState;
}
interface StoredQuotes {
  readonly takenAt: number;
  readonly coins: Readonly<Record<string, Inside<CoinQuotes['coins']>>>;
}

class Unusable extends Error {}

function read<T>(bytes: Uint8Array): T {
  const json: unknown = JSON.parse(Buffer.from(bytes).toString());
  const version = typeof json === 'object' && json !== null && 'version' in json ? json.version : undefined;
  if (version !== VERSION) throw new Unusable(`version ${version}`);
  return json as T; // objects of this prefix and this version were written by the job
}

function usable<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Unusable || error instanceof SyntaxError)) throw error;
    count('HistoryUnusable');
    return undefined;
  }
}

function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function nameOf(sha256: string): string {
  return `${objectNames.maps}${sha256.slice(0, 16)}`;
}
