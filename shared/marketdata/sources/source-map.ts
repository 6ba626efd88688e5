/** Which markets trade which coin, and their last prices: what the job of the markets knows, and the objects it stores. */
import { object } from '../../platform/json-fields.ts';
import { objectsOf, replacing } from '../../platform/objects.ts';
import {
  type Bucket,
  jsonIn,
  type Opened,
  type OpenObject,
  openFrom,
  openOnlyFrom,
} from '../../platform/stored-object.ts';

/** A market that is known to trade a coin. */
export interface MappedMarket {
  /** The exchange's name, as in `x-data-source`. */
  readonly exchange: string;
  /** The market's id there. */
  readonly market: string;
  /** What its prices are in: USD, or a stable coin that they are converted from. */
  readonly quote: 'USD' | 'USDC' | 'USDT';
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface SourceMap {
  /** By coin id; for each exchange at most one market, in the order in which exchanges are preferred. */
  readonly coins: ReadonlyMap<string, readonly MappedMarket[]>;
}

/** The map, with all that the next run of its job goes on from. */
export interface PublishedMap extends SourceMap {
  readonly state: SourceState;
  /** When it was published, in milliseconds since the epoch. */
  readonly at: number;
}

/** The last price of a mapped market. */
export interface CoinQuote extends Pick<MappedMarket, 'exchange' | 'market'> {
  /** In USD. */
  readonly price: number;
  /** Percent in the last 24 hours; null if the exchange does not say. */
  readonly change: number | null;
  /** When that was the price, in milliseconds since the epoch; null if the exchange does not say. */
  readonly at: number | null;
}

export interface CoinQuotes {
  /** When exchanges were asked, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** By coin id, in the order of the map; markets without a price are missing. */
  readonly coins: ReadonlyMap<string, readonly CoinQuote[]>;
}

/** How a coin's ticker compared with a market the last time. */
export type Verdict =
  /** Within 2 %, and the coin's volume is not smaller than the market's. */
  | 'agrees'
  /** Within 2 %, but the market would trade more of the coin than everybody does. */
  | 'volume'
  /** More than 2 % off. */
  | 'differs'
  /** More than 5 % off. */
  | 'far'
  /** Nothing to compare: no price, no volume, not of this snapshot, or not active. */
  | 'unknown';

/** How many snapshots, each of another time, decide what. */
export const ENOUGH = {
  /** To become a market's coin. */
  agreed: 3,
  /** So many more for each better-ranked coin that has not been shown to be another one. */
  moreInDoubt: 6,
  /** Far off: a market loses its coin, and another coin is not the one that the symbol means. */
  far: 3,
  /** A day of the default interval: to lose the market without agreement, or to a better-ranked coin. */
  lasting: 144,
} as const;

/**
 * A coin with a market's symbol. The counts are of snapshots in a row, up to the most that matters; one that gives
 * nothing to compare ends `agreed` and `ahead`, and leaves `far` as it is.
 */
export interface Candidate {
  readonly coin: string;
  readonly agreed: number;
  /** Of a market's own coin only those in which no other exchange has backed it. */
  readonly far: number;
  /** Of those that it agreed in, the last in a row in which it also was ranked better than the market's coin. */
  readonly ahead: number;
  /** Since it last agreed, whatever the reason. */
  readonly unconfirmed: number;
  readonly verdict: Verdict;
  /** Since when that is the verdict, in milliseconds since the epoch. */
  readonly since: number;
}

/** Why a market has lost its coin. */
export type Loss = 'far' | 'unconfirmed' | 'closed' | 'inactive' | 'moved';

/** All that is known of a market whose prices can be converted to USD. */
export interface MarketState {
  readonly market: string;
  readonly base: string;
  readonly quote: MappedMarket['quote'];
  readonly isOpen: boolean;
  /** In USD, its last price and what was traded in 24 hours; null: nothing that counts. */
  readonly last: { readonly price: number; readonly volume: number } | null;
  /** The coin that it trades; null: none that is known. */
  readonly mapped: { readonly coin: string; readonly since: number } | null;
  /** The last coin that it lost. */
  readonly lost: { readonly coin: string; readonly at: number; readonly why: Loss } | null;
  /** By id. */
  readonly candidates: readonly Candidate[];
}

/** An exchange's markets. */
export interface ExchangeState {
  readonly exchange: string;
  /** When its list of markets was fetched last, in milliseconds since the epoch. */
  readonly listedAt: number;
  /** How many markets of all quotes that list had. */
  readonly listed: number;
  readonly markets: readonly MarketState[];
}

/** What one run of the job leaves to the next. */
export interface SourceState {
  /** When the last snapshot that counted was taken, in milliseconds since the epoch; null: none yet. */
  readonly takenAt: number | null;
  /** The preferred one first. */
  readonly exchanges: readonly ExchangeState[];
}

export const SOURCES_PREFIX = 'sources/';
const VERSIONS = { map: 2, quotes: 1 } as const;
export const sourceObjects = {
  map: `map.v${VERSIONS.map}`,
  quotes: `quotes.v${VERSIONS.quotes}`,
} as const;

/** The job's objects, each replaced by one put. Throws what opening and the AWS SDK throw. */
export interface SourcesStore {
  map(): Promise<Opened<PublishedMap>>;
  quotes(): Promise<Opened<CoinQuotes>>;
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  putMap(map: PublishedMap, etag: string | undefined): Promise<void>;
  putQuotes(quotes: CoinQuotes, etag: string | undefined): Promise<void>;
}
export type SourcesReader = Pick<SourcesStore, 'map' | 'quotes'>;

/** In an S3 bucket, for who only reads. */
export function sourcesReader(bucket: string): SourcesReader {
  return readerFrom(openOnlyFrom(objectsOf(bucket, SOURCES_PREFIX)));
}

/** In an S3 bucket, for who replaces what it reads. */
export function sourcesStore(bucket: string): SourcesStore {
  return sourcesStoreIn(objectsOf(bucket, SOURCES_PREFIX));
}

export function sourcesStoreIn(bucket: Bucket): SourcesStore {
  const put = (name: string, text: string, etag: string | undefined) =>
    bucket.put(name, text, 'application/json', replacing(etag));
  return {
    ...readerFrom(openFrom(bucket)),
    putMap: (map, etag) => put(sourceObjects.map, mapText(map), etag),
    putQuotes: (quotes, etag) => put(sourceObjects.quotes, quotesText(quotes), etag),
  };
}

export function mapText(map: PublishedMap): string {
  return JSON.stringify({ version: VERSIONS.map, ...map, coins: Object.fromEntries(map.coins) });
}

export function quotesText(quotes: CoinQuotes): string {
  return JSON.stringify({ version: VERSIONS.quotes, ...quotes, coins: Object.fromEntries(quotes.coins) });
}

function readerFrom(open: OpenObject): SourcesReader {
  return {
    map: () => open(sourceObjects.map, (bytes) => contentOf<PublishedMap>(bytes, VERSIONS.map, 'state')),
    quotes: () =>
      open(sourceObjects.quotes, (bytes) => contentOf<CoinQuotes>(bytes, VERSIONS.quotes, 'takenAt')),
  };
}

/** Only the job writes objects of this prefix and these versions, so a whole one has this type. Throws an Error. */
function contentOf<T extends PublishedMap | CoinQuotes>(
  bytes: Uint8Array,
  expected: number,
  part: keyof T & string,
): T {
  const { version, ...json } = object(jsonIn(bytes), 'what is known of sources');
  if (version !== expected) throw new Error(`Version ${version} of what is known of sources`);
  if (json[part] == null) throw new Error(`${part} is missing`);
  return { ...json, coins: new Map(Object.entries(object(json.coins, 'coins'))) } as unknown as T;
}
