import { LISTINGS_NAME, type Listings, listingsIn } from '../../../../shared/marketdata/sources/listings.ts';
import {
  SOURCES_PREFIX,
  type SourcesStore,
  sourcesStore,
} from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count, recordValue } from '../../../../shared/platform/metrics.ts';
import { objectsOf } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/s3-error.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { openOnlyFrom } from '../../../../shared/platform/stored-object.ts';
import { exchangesOf, sourceClientFor } from '../../../../shared/providers/sources.ts';
import { openedRegistry, refreshRegistry } from '../../../../shared/registry/container.ts';
import { bucketIn } from '../bucket-in.ts';
import { publishedSnapshot } from '../opened.ts';
import { statedCoins } from './coin-of-market.ts';
import { type Coins, coinsOf, isComparable } from './coins.ts';
import { type ExchangeClient, type FetchOptions, fetchExchange } from './exchange.ts';
import { mapMarkets } from './state.ts';

/** The time for requests, of the function's 120 s, so that there is time to publish. */
const TIME_MS = 90_000;
/** The result names at most this many lost markets. */
const NAMED = 20;

/** The container's clients, which remember each exchange's `Retry-After`. */
let clients: readonly ExchangeClient[] | undefined;

/** Publishes the coins of markets. Throws if the store fails: the next run continues. */
export const handler = scheduled(() =>
  countPublished(
    'MapPublished',
    () => run(environment()),
    (report) =>
      typeof report === 'string' ||
      Object.values(report.exchanges).some(({ problem }) => problem === undefined),
  ),
);

async function run(settings: Environment): Promise<MarketsReport | string> {
  const deadline = Date.now() + TIME_MS;
  if (settings.CANDLE_SOURCES === '') return 'CANDLE_SOURCES is empty: no exchange is enabled';
  const snapshots = bucketIn(settings, 'SNAPSHOT_BUCKET');
  const sources = bucketIn(settings, 'SOURCES_BUCKET');
  const open = openOnlyFrom(objectsOf(sources, SOURCES_PREFIX));
  clients ??= exchangesOf(settings).map((exchange) =>
    sourceClientFor<'markets' | 'quotes'>(settings, exchange),
  );
  // Without a registry all coins count as active: the provider lists few inactive ones.
  await refreshRegistry(settings);
  const registry = openedRegistry();
  return publishMarkets({
    store: sourcesStore(sources),
    exchanges: clients,
    listings: async () => (await open(LISTINGS_NAME, listingsIn)).content,
    snapshot: () => publishedSnapshot(snapshots),
    isActive: (id) => registry?.isActive(id) ?? true,
    deadline,
  });
}

export interface MarketsOptions {
  readonly store: SourcesStore;
  /** The preferred one first. */
  readonly exchanges: readonly ExchangeClient[];
  /** The provider's lists of markets; undefined if they are missing or unreadable. */
  readonly listings: () => Promise<Listings | undefined>;
  /** The published one; undefined if it is missing or unreadable. */
  readonly snapshot: () => Promise<Snapshot | undefined>;
  /** False for a coin that is known to be no longer traded. */
  readonly isActive: (id: string) => boolean;
  /** The deadline of all requests, in milliseconds since the epoch. */
  readonly deadline: number;
}

export interface MarketsReport {
  /** Coins that have a market. */
  readonly coins: number;
  /** The markets with a price, mapped markets, and problems of each exchange. */
  readonly exchanges: Readonly<
    Record<string, { readonly priced: number; readonly mapped: number; readonly problem?: string }>
  >;
  /** Some of the markets that lost their coin in this run, with the coin and the reason. */
  readonly dropped: readonly string[];
  /** Why nothing was compared or published. */
  readonly note?: string;
}

/**
 * Fetches the markets and prices of all exchanges, and publishes the coins of markets. The map is read before the fetch and replaced
 * only if it did not change meanwhile: of two concurrent runs the slower one is discarded. Throws what the store
 * throws.
 */
export async function publishMarkets(options: MarketsOptions): Promise<MarketsReport> {
  const { store, exchanges, isActive, deadline } = options;
  const now = Date.now();
  const [before, listings] = await Promise.all([store.map(), options.listings()]);
  const previous = before.content?.state;
  // Read after the map, so that it is never older than the map's own snapshot.
  const published = await options.snapshot();
  const coins: Coins = published ? coinsOf(published) : new Map();
  const fetched = await Promise.all(
    exchanges.map((client) => {
      const { name } = client.provider;
      const known = previous?.exchanges.find(({ exchange }) => exchange === name);
      const candidates: FetchOptions['candidates'] = (markets) => {
        const coinOf = statedCoins(markets, listings?.get(name), coins);
        return (market) => coins.has(coinOf(market) ?? '');
      };
      return fetchExchange(client, { known, candidates, now, deadline });
    }),
  );

  const isCompared = published !== undefined && isComparable(published, now);
  const snapshot = isCompared ? { takenAt: published.takenAt, coins } : undefined;
  const { dropped, ...map } = mapMarkets(previous, { fetched, listings, snapshot, isActive, now });
  const mapped = [...map.coins.values()].flat();
  const ofExchange = fetched.map(({ exchange, quotes: own, problem }) => {
    const markets = mapped.filter((one) => one.exchange === exchange).length;
    return [
      exchange,
      { priced: own?.length ?? 0, mapped: markets, ...(problem !== undefined && { problem }) },
    ];
  });
  const report = {
    coins: map.coins.size,
    exchanges: Object.fromEntries(ofExchange),
    dropped: dropped.slice(0, NAMED),
  };

  try {
    await store.putMap({ ...map, at: now }, before.etag);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { ...report, note: 'Nothing is published: another run was quicker' };
  }
  recordValue('MarketsMapped', mapped.length);
  if (dropped.length > 0) count('MarketsDropped', dropped.length);
  if (!listings)
    return { ...report, note: 'No market was added: the provider’s lists of markets are missing' };
  return isCompared ? report : { ...report, note: 'Nothing was compared: there is no current snapshot' };
}
