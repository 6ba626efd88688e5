import { median } from '../../../../shared/marketdata/sources/market.ts';
import {
  type CoinQuotes,
  type SourceState,
  type SourcesStore,
  sourcesStore,
} from '../../../../shared/marketdata/sources/source-map.ts';
import type { Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count, recordValue } from '../../../../shared/platform/metrics.ts';
import { ConditionFailed } from '../../../../shared/platform/s3-error.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { exchangesOf, sourceClientFor } from '../../../../shared/providers/sources.ts';
import { openedRegistry, refreshRegistry } from '../../../../shared/registry/container.ts';
import { symbolKey } from '../../../../shared/registry/fold.ts';
import { bucketIn } from '../bucket-in.ts';
import { publishedSnapshot } from '../opened.ts';
import { coinsOf, isComparable } from './coins.ts';
import { type ExchangeClient, fetchExchange } from './exchange.ts';
import { mappedIn, nextState } from './state.ts';

/** The time for requests, of the function's 120 s, so that there is time to publish. */
const TIME_MS = 90_000;
/** The result names at most this many lost markets. */
const NAMED = 20;

/** The container's clients, which remember each exchange's `Retry-After`. */
let clients: readonly ExchangeClient[] | undefined;

/** Publishes the coins and prices of markets. Throws if the store fails: the next run continues. */
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
  const store = sourcesStore(bucketIn(settings, 'SOURCES_BUCKET'));
  clients ??= exchangesOf(settings).map((exchange) =>
    sourceClientFor<'markets' | 'quotes'>(settings, exchange),
  );
  // Without a registry all coins count as active: the provider lists few inactive ones.
  await refreshRegistry(settings);
  const registry = openedRegistry();
  return publishMarkets({
    store,
    exchanges: clients,
    snapshot: () => publishedSnapshot(snapshots),
    isActive: (id) => registry?.isActive(id) ?? true,
    deadline,
  });
}

export interface MarketsOptions {
  readonly store: SourcesStore;
  /** The preferred one first. */
  readonly exchanges: readonly ExchangeClient[];
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
 * Fetches the markets and prices of all exchanges, and publishes the coins of markets. The objects are read before the fetch
 * and replaced only if they did not change meanwhile: of two concurrent runs the slower one is discarded. Throws what the store
 * throws.
 */
export async function publishMarkets(options: MarketsOptions): Promise<MarketsReport> {
  const { store, exchanges, isActive, deadline } = options;
  const now = Date.now();
  const [before, quotesBefore] = await Promise.all([store.map(), store.quotes()]);
  const previous = before.content?.state;
  // Read after the map, so that it is never older than the map's own snapshot.
  const published = await options.snapshot();
  const coins = published ? coinsOf(published, isActive) : [];
  const symbols = new Set(coins.map(({ symbol }) => symbolKey(symbol)));
  const isSymbol = (symbol: string) => symbols.has(symbolKey(symbol));
  const fetched = await Promise.all(
    exchanges.map((client) => {
      const known = previous?.exchanges.find(({ exchange }) => exchange === client.provider.name);
      return fetchExchange(client, { known, isSymbol, now, deadline });
    }),
  );

  const isCompared = published !== undefined && isComparable(published, now);
  const snapshot = isCompared ? { takenAt: published.takenAt, coins } : undefined;
  const state = nextState(previous, { fetched, snapshot, now });
  const { quotes, ...map } = mappedIn(state, { fetched, now });
  const dropped = previous ? droppedIn(state, now) : [];
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
    await store.putMap({ ...map, state, at: now }, before.etag);
    await store.putQuotes({ ...quotes, earlier: mediansOf(quotesBefore.content) }, quotesBefore.etag);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { ...report, note: 'Not everything is published: another run was quicker' };
  }
  recordValue('MarketsMapped', mapped.length);
  if (dropped.length > 0) count('MarketsDropped', dropped.length);
  return isCompared ? report : { ...report, note: 'Nothing was compared: there is no current snapshot' };
}

/** The medians of a run, to compare prices with that were made between it and the next one. */
function mediansOf(quotes: CoinQuotes | undefined): CoinQuotes['earlier'] {
  if (!quotes) return undefined;
  const medians = Array.from(
    quotes.coins,
    ([id, own]) => [id, median(own.map(({ price }) => price))] as const,
  );
  return { takenAt: quotes.takenAt, medians: new Map(medians) };
}

function droppedIn({ exchanges }: SourceState, now: number): string[] {
  return exchanges.flatMap(({ exchange, markets }) =>
    markets.flatMap(({ market, lost }) =>
      lost?.at === now ? [`${exchange} ${market}: ${lost.coin} (${lost.why})`] : [],
    ),
  );
}
