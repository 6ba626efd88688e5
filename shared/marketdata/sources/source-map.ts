/** The markets of each coin and their last prices: the state of the markets' job, and the objects that it stores. */
import { object } from '../../platform/json-fields.ts';
import { objectsOf, replacing } from '../../platform/objects.ts';
import { jsonIn, type OpenObject, openFrom, openOnlyFrom } from '../../platform/stored-object.ts';
import type { MarketQuote } from './market.ts';

/** A market that is known to trade a coin. */
export interface MappedMarket {
  /** The exchange's name, as in `x-data-source`. */
  readonly exchange: string;
  /** The market's id there. */
  readonly market: string;
  /** The quote of its prices: USD, or a stablecoin that is converted to USD. */
  readonly quote: 'USD' | 'USDC' | 'USDT';
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface SourceMap {
  /** The markets by coin id: at most one of each exchange, in the order of preference. */
  readonly coins: ReadonlyMap<string, readonly MappedMarket[]>;
}

/** The map, with the state that the next run of its job needs. */
export interface PublishedMap extends SourceMap {
  readonly state: SourceState;
  /** When it was published, in milliseconds since the epoch. */
  readonly at: number;
}

/** What a mapped market last said, in USD. */
export interface CoinQuote
  extends Pick<MappedMarket, 'exchange' | 'market'>,
    Pick<MarketQuote, 'bid' | 'ask' | 'high' | 'low'> {
  /** Of the last trade. */
  readonly price: number;
  /** Of the last 24 hours, in units of the coin. */
  readonly volume?: number | undefined;
  /** Percent in the last 24 hours; null if the exchange does not report it. */
  readonly change: number | null;
  /** The time of the price, in milliseconds since the epoch; null if the exchange does not report it. */
  readonly at: number | null;
  /** Who made it, if not the exchange: `simulated`. */
  readonly source?: string | undefined;
  /** That time, or else the response's. */
  readonly madeAt?: number | undefined;
  /** Without a time: when the run was whose price differed from it, so that it was traded since. */
  readonly tradedAfter?: number | undefined;
}

export interface CoinQuotes {
  /** When the prices were fetched, in milliseconds since the epoch. */
  readonly takenAt: number;
  /** The quotes by coin id, in the order of the map; markets without a price are missing. */
  readonly coins: ReadonlyMap<string, readonly CoinQuote[]>;
  /** The runs of the last half hour, the newest first: a price is compared with those of its own time. */
  readonly earlier?: readonly EarlierRun[] | undefined;
  /** The published prices of coins, in USD. */
  readonly prices?: Readonly<Record<string, number>> | undefined;
  /** When any market of an exchange last moved, in milliseconds since the epoch. */
  readonly movedAt?: Readonly<Record<string, number>> | undefined;
}

/** The published prices of an earlier run, by coin id. */
export interface EarlierRun {
  readonly takenAt: number;
  readonly medians: ReadonlyMap<string, number>;
}

/** The state of a market whose prices can be converted to USD. */
export interface MarketState extends Pick<MappedMarket, 'market' | 'quote'> {
  readonly base: string;
  readonly isOpen: boolean;
  /** The coin that it trades; null: unknown. */
  readonly mapped: {
    readonly coin: string;
    readonly since: number;
    /** The latest consecutive snapshots in which its price was far from the coin's, and no other exchange's was near it. */
    readonly misses: number;
  } | null;
}

/** An exchange's markets. */
export interface ExchangeState {
  readonly exchange: string;
  /** When its list of markets was last fetched, in milliseconds since the epoch. */
  readonly listedAt: number;
  /** The number of markets in that list, with any quote. */
  readonly listed: number;
  readonly markets: readonly MarketState[];
}

/** The state that one run of the job leaves to the next. */
export interface SourceState {
  /** When the last snapshot that counted was taken, in milliseconds since the epoch; null: none yet. */
  readonly takenAt: number | null;
  /** The preferred one first. */
  readonly exchanges: readonly ExchangeState[];
}

export const SOURCES_PREFIX = 'sources/';
const VERSIONS = { map: 3, quotes: 3 } as const;
export const sourceObjects = {
  map: `map.v${VERSIONS.map}`,
  quotes: `quotes.v${VERSIONS.quotes}`,
} as const;

/** A reader of the objects in an S3 bucket. Throws what opening and the AWS SDK throw. */
export function sourcesReader(bucket: string) {
  return readerFrom(openOnlyFrom(objectsOf(bucket, SOURCES_PREFIX)));
}

export type SourcesStore = ReturnType<typeof sourcesStore>;

/** The objects in an S3 bucket, for the job that replaces them, each by one put. */
export function sourcesStore(bucket: string) {
  const objects = objectsOf(bucket, SOURCES_PREFIX);
  const put = (name: string, text: string, etag: string | undefined) =>
    objects.put(name, text, 'application/json', replacing(etag));
  return {
    ...readerFrom(openFrom(objects)),
    /** Replaces the map with this ETag; undefined: creates it. Throws ConditionFailed if another run was quicker. */
    putMap: (map: PublishedMap, etag: string | undefined) => put(sourceObjects.map, mapText(map), etag),
    putQuotes: (quotes: CoinQuotes, etag: string | undefined) =>
      put(sourceObjects.quotes, quotesText(quotes), etag),
  };
}

export function mapText(map: PublishedMap): string {
  return JSON.stringify({ version: VERSIONS.map, ...map, coins: Object.fromEntries(map.coins) });
}

export function quotesText(quotes: CoinQuotes): string {
  const { coins, earlier = [], ...others } = quotes;
  // By column, because an id is longer than a price.
  const ids = [...new Set(earlier.flatMap(({ medians }) => [...medians.keys()]))];
  const runs = earlier.map(({ takenAt, medians }) => [takenAt, ...ids.map((id) => medians.get(id) ?? null)]);
  return JSON.stringify({
    ...{ version: VERSIONS.quotes, ...others, coins: Object.fromEntries(coins) },
    earlier: { ids, runs },
  });
}

function readerFrom(open: OpenObject) {
  return {
    map: () => open(sourceObjects.map, openSourceMap),
    quotes: () =>
      open(sourceObjects.quotes, (bytes) => withEarlier(contentOf<CoinQuotes>(bytes, VERSIONS.quotes))),
  };
}

/** Throws an Error for the bytes of another version. */
export function openSourceMap(bytes: Uint8Array): PublishedMap {
  return contentOf<PublishedMap>(bytes, VERSIONS.map);
}

interface EarlierJson {
  readonly ids: readonly string[];
  readonly runs: readonly (readonly [takenAt: number, ...medians: (number | null)[]])[];
}

function withEarlier(json: CoinQuotes): CoinQuotes {
  const { ids, runs } = json.earlier as unknown as EarlierJson; // as `quotesText` writes it
  const earlier = runs.map(([takenAt, ...medians]) => {
    const known = ids.flatMap((id, index) => {
      const price = medians[index];
      return typeof price === 'number' ? [[id, price] as const] : [];
    });
    return { takenAt, medians: new Map(known) };
  });
  return { ...json, earlier };
}

/** Only the job writes objects with this prefix and version, so one that can be parsed has this type. Throws an Error. */
function contentOf<T extends PublishedMap | CoinQuotes>(bytes: Uint8Array, expected: number): T {
  const { version, ...json } = object(jsonIn(bytes), 'the state of sources');
  if (version !== expected) throw new Error(`Version ${version} of the state of sources`);
  return { ...json, coins: new Map(Object.entries(object(json.coins, 'coins'))) } as unknown as T;
}
