import { createHash } from 'node:crypto';
import { count } from '../../platform/metrics.ts';
import { jsonIn, type Opened, type OpenObject } from '../../platform/open-object.ts';
import type { CoinQuotes, SourceMap, SourceState } from './source-map.ts';

export const SOURCES_PREFIX = 'sources/';
const VERSION = 1;
/** The map's own name follows from its content; `filled` says of which coins the past is stored. */
export const objectNames = {
  manifest: `manifest.v${VERSION}`,
  quotes: `quotes.v${VERSION}`,
  maps: 'map-',
  filled: 'filled.v1',
} as const;

/** The map, with all that the next run of its job goes on from. */
export interface PublishedMap extends SourceMap {
  readonly state: SourceState;
  /** When it was published, in milliseconds since the epoch. */
  readonly at: number;
}

/** What is published, with what it takes to replace that and nothing else. */
export type Replaceable<T> = Pick<Opened<T>, 'content' | 'etag'>;

/** What is known of other sources. Throws what opening throws. */
export interface SourcesReader {
  publishedMap(): Promise<Replaceable<PublishedMap>>;
  publishedQuotes(): Promise<Replaceable<CoinQuotes>>;
}

/** Of objects below the prefix, wherever they lie. */
export function sourcesReaderIn(open: OpenObject): SourcesReader {
  return {
    async publishedMap() {
      const { content: manifest, etag } = await open(objectNames.manifest, manifestIn);
      if (!manifest) return { content: undefined, etag };
      const map = await open(manifest.map, (bytes) => mapIn(bytes, manifest));
      if (map.etag === undefined) count('HistoryUnusable'); // a manifest whose map is gone
      return { content: map.content, etag };
    },
    publishedQuotes: () => open(objectNames.quotes, quotesIn),
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
    throw new Error('A manifest that names no map');
  return { version: VERSION, map, sha256, at };
}

function mapIn(bytes: Uint8Array, { sha256, at }: Manifest): PublishedMap {
  if (sha256Of(bytes) !== sha256) throw new Error('Not the map of the manifest');
  const { coins, state } = read<StoredMap>(bytes);
  return { coins: new Map(Object.entries(coins)), state, at };
}

function quotesIn(bytes: Uint8Array): CoinQuotes {
  const { takenAt, coins } = read<StoredQuotes>(bytes);
  if (typeof takenAt !== 'number' || typeof coins !== 'object' || coins === null)
    throw new Error('No quotes');
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

function read<T>(bytes: Uint8Array): T {
  const json = jsonIn(bytes);
  const version = typeof json === 'object' && json !== null && 'version' in json ? json.version : undefined;
  if (version !== VERSION) throw new Error(`Version ${version} of what is known of sources`);
  return json as T; // objects of this prefix and this version were written by the job
}

function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function nameOf(sha256: string): string {
  return `${objectNames.maps}${sha256.slice(0, 16)}`;
}
