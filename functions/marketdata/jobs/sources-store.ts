import { createHash } from 'node:crypto';
import type { CoinQuotes, SourceMap, SourceState } from '../../../shared/marketdata/sources/source-map.ts';
import { count } from '../../../shared/platform/metrics.ts';
import { nothingYet, type Objects, objectsOf } from '../../../shared/platform/objects.ts';
import { type PutCondition, type PutObject, publisherOf } from '../../../shared/platform/publish-object.ts';

export const SOURCES_PREFIX = 'sources/';
const names = { manifest: 'manifest', quotes: 'quotes' } as const;
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

/**
 * What is known of other sources. Reads give undefined if nothing was published, or nothing that can be used, and throw
 * what `objectsOf` throws; puts throw what the AWS SDK throws, and ConditionFailed if somebody else was quicker.
 */
export interface SourcesStore {
  map(): Promise<SourceMap | undefined>;
  quotes(): Promise<CoinQuotes | undefined>;
  /** Both as the job has them, which replaces them. */
  publishedMap(): Promise<Replaceable<PublishedMap>>;
  publishedQuotes(): Promise<Replaceable<CoinQuotes>>;
  /** Puts the map first and the manifest last: one write switches every reader from one map to the next. */
  publishMap(map: PublishedMap, replaced: string | undefined): Promise<void>;
  publishQuotes(quotes: CoinQuotes, replaced: string | undefined): Promise<void>;
}

/** What the store is made of: objects below its prefix, wherever they lie. */
export interface Bucket {
  readonly objects: Pick<Objects, 'get'>;
  readonly put: PutObject;
}

/** Of an S3 bucket. */
export function sourcesStore(bucket: string): SourcesStore {
  return sourcesStoreIn({
    objects: objectsOf(bucket, SOURCES_PREFIX),
    put: publisherOf(bucket, SOURCES_PREFIX),
  });
}

export function sourcesStoreIn({ objects, put }: Bucket): SourcesStore {
  const get = (name: string) => objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);

  async function publishedMap(): Promise<Replaceable<PublishedMap>> {
    const object = await get(names.manifest);
    const manifest = object && usable(() => manifestIn(object.bytes));
    if (!manifest) return { content: undefined, etag: object?.etag };
    const bytes = (await get(manifest.map))?.bytes;
    return { content: usable(() => mapIn(bytes, manifest)), etag: object.etag };
  }

  async function publishedQuotes(): Promise<Replaceable<CoinQuotes>> {
    const object = await get(names.quotes);
    return { content: object && usable(() => quotesIn(object.bytes)), etag: object?.etag };
  }

  return {
    map: async () => (await publishedMap()).content,
    quotes: async () => (await publishedQuotes()).content,
    publishedMap,
    publishedQuotes,
    async publishMap({ coins, state, at }, replaced) {
      const text = JSON.stringify({ version: VERSION, coins: Object.fromEntries(coins), state });
      const sha256 = sha256Of(text);
      const map = nameOf(sha256);
      await put(map, text, 'application/json');
      const manifest: Manifest = { version: VERSION, map, sha256, at };
      await put(names.manifest, JSON.stringify(manifest), 'application/json', replacing(replaced));
    },
    publishQuotes: ({ takenAt, coins }, replaced) => {
      const text = JSON.stringify({ version: VERSION, takenAt, coins: Object.fromEntries(coins) });
      return put(names.quotes, text, 'application/json', replacing(replaced));
    },
  };
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
  return `map-${sha256.slice(0, 16)}`;
}

function replacing(etag: string | undefined): PutCondition {
  return etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag };
}
