import {
  type CoinQuote,
  type CoinQuotes,
  openSourceMap,
  SOURCES_PREFIX,
  type SourceMap,
  type SourcesStore,
  sourceObjects,
  sourcesStore,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import { type ListedCoin, listedCoins } from '../../../../shared/marketdata/store/listed-coins.ts';
import { openQuotes, QUOTES_NAME, type Quote } from '../../../../shared/marketdata/store/quotes.ts';
import { quotesJson } from '../../../../shared/marketdata/store/quotes-writer.ts';
import { openSnapshot, type Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { oncePer } from '../../../../shared/platform/caches.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { heldObject } from '../../../../shared/platform/held-object.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { type Objects, objectsOf, replacing } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/s3-error.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { openFrom } from '../../../../shared/platform/stored-object.ts';
import { MINUTE_MS } from '../../../../shared/platform/time.ts';
import { exchangesOf, sourceClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { fetchQuotes, type Quoted, type QuotesClient } from '../exchange-quotes.ts';
import {
  marketQuotes,
  movedAt,
  ratesIn,
  runsAfter,
  usableQuotes,
  withCarried,
  withTrades,
} from './market-quotes.ts';
import { earlierOf, quoteOf } from './price-of-coin.ts';

/** The time for requests, of the function's 55 s. */
const TIME_MS = 40_000;
const READ_MS = 5_000;

/** The container's clients, which remember each exchange's `Retry-After`. */
let clients: readonly QuotesClient[] | undefined;

/** Both are held for some runs: the one changes every half hour, and the other is compared with the run of its own minute. */
const readMap = heldObject({
  ...{ prefix: SOURCES_PREFIX, name: sourceObjects.map, open: openSourceMap },
  ...{ readMs: READ_MS, heldMs: 5 * MINUTE_MS, missingMs: 0 },
});
const readSnapshot = heldObject({
  ...{ prefix: SNAPSHOT_PREFIX, name: SNAPSHOT_NAME, open: openSnapshot },
  ...{ readMs: READ_MS, heldMs: 2 * MINUTE_MS, missingMs: 0 },
});
const listedById = oncePer(
  ({ list }: Snapshot): ReadonlyMap<string, ListedCoin> =>
    new Map(listedCoins(list).map((coin) => [coin.id, coin])),
);

/** Publishes the prices of markets. Throws if the store fails: the next run is a minute away. */
export const handler = scheduled(() =>
  countPublished(
    'QuotesPublished',
    () => run(environment()),
    (report) => typeof report === 'string' || report.coins > 0,
  ),
);

async function run(settings: Environment): Promise<QuotesReport | string> {
  if (settings.CANDLE_SOURCES === '') return 'CANDLE_SOURCES is empty: no exchange is enabled';
  const snapshots = bucketIn(settings, 'SNAPSHOT_BUCKET');
  const sources = bucketIn(settings, 'SOURCES_BUCKET');
  clients ??= exchangesOf(settings).map((exchange) => sourceClientFor<'quotes'>(settings, exchange));
  const [map, snapshot] = await Promise.all([readMap(sources), readSnapshot(snapshots)]);
  if (!map) return 'No market is mapped yet';
  return publishQuotes({
    ...{ map, snapshot, clients },
    store: sourcesStore(sources),
    snapshots: objectsOf(snapshots, SNAPSHOT_PREFIX),
    intervalSeconds: Number(settings.QUOTES_MINUTES) * 60,
    deadline: Date.now() + TIME_MS,
  });
}

export interface QuotesOptions {
  readonly map: SourceMap;
  /** The provider's list, to compare with; undefined if there is none. */
  readonly snapshot: Snapshot | undefined;
  /** The preferred one first. */
  readonly clients: readonly QuotesClient[];
  readonly store: Pick<SourcesStore, 'quotes' | 'putQuotes'>;
  readonly snapshots: Pick<Objects, 'get' | 'put'>;
  readonly intervalSeconds: number;
  /** The deadline of all requests, in milliseconds since the epoch. */
  readonly deadline: number;
}

export interface QuotesReport {
  /** Coins with a price of markets. */
  readonly coins: number;
  /** Those whose price the provider contradicts. */
  readonly disputed: number;
  /** Why an exchange has not answered. */
  readonly problems: Readonly<Record<string, string>>;
  /** Why nothing was published. */
  readonly note?: string;
}

/**
 * Fetches the last prices of all mapped markets and publishes what they say together. Of two concurrent runs the slower one is
 * discarded. Throws what the store throws.
 */
export async function publishQuotes(options: QuotesOptions): Promise<QuotesReport> {
  const { map, snapshot, store, snapshots, intervalSeconds } = options;
  const [before, shown, fetched] = await Promise.all([
    store.quotes(),
    openFrom(snapshots)(QUOTES_NAME, openQuotes),
    fetchAll(options),
  ]);
  const { answers, problems } = fetched;
  const now = Date.now();
  const listed = snapshot && listedById(snapshot);
  const rates = ratesIn(map, answers, (id) => listed?.get(id)?.price ?? null);
  const last = before.content;
  const received = withTrades(marketQuotes(map, answers, rates), map, last);
  const said = withCarried(received, map, { answers, before: last, now });
  const moved = movedAt(said, last, now);
  const runs = runsAfter(last, now);
  const coins = new Map<string, Quote>();
  const all = new Map<string, Quote | undefined>();
  for (const [id, own] of said) {
    const quotes = usableQuotes(own, moved, last?.coins.get(id) ?? [], now);
    const quote = quoteOf(quotes, { stated: listed?.get(id), earlier: earlierOf(runs, id), now });
    all.set(id, quote);
    if (quote) coins.set(id, quote);
  }
  const prices = Object.fromEntries(Array.from(coins, ([id, { price }]) => [id, price]));
  const disputed = [...coins.values()].filter(({ isDisputed }) => isDisputed).length;
  const report = { coins: coins.size, disputed, problems };
  const content: CoinQuotes = { takenAt: now, coins: said, prices, movedAt: moved, earlier: runs };
  const text = quotesJson({ takenAt: now, intervalSeconds, sources: sourcesOf(said), coins: all });
  try {
    await store.putQuotes(content, before.etag);
    await snapshots.put(QUOTES_NAME, text, 'application/json', replacing(shown.etag));
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return { ...report, note: 'Nothing is published: another run was quicker' };
  }
  return report;
}

/** Who speaks for the exchanges that others stand in for. */
function sourcesOf(said: ReadonlyMap<string, readonly CoinQuote[]>): Readonly<Record<string, string>> {
  const all = [...said.values()].flat();
  return Object.fromEntries(all.flatMap(({ exchange, source }) => (source ? [[exchange, source]] : [])));
}

async function fetchAll({ map, clients: all, deadline }: QuotesOptions) {
  const answers = new Map<string, Quoted>();
  const problems: Record<string, string> = {};
  const mapped = [...map.coins.values()].flat();
  await Promise.all(
    all.map(async (client) => {
      const { name } = client.provider;
      const ids = mapped.filter(({ exchange }) => exchange === name).map(({ market }) => market);
      const errors: unknown[] = [];
      const quoted = await fetchQuotes(client, ids, deadline, errors);
      if (quoted) answers.set(name, quoted);
      if (errors.length > 0) problems[name] = [...new Set(errors.map(messageOf))].join('; ');
    }),
  );
  return { answers, problems };
}
