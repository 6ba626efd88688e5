import { sourcesReader } from '../../../../shared/marketdata/sources/source-map.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { countPublished, scheduled } from '../../../../shared/platform/scheduled.ts';
import { exchangesOf, sourceClientFor } from '../../../../shared/providers/sources.ts';
import { bucketIn } from '../bucket-in.ts';
import { historyStore } from '../history-store.ts';
import { publishedSnapshot } from '../opened.ts';
import { type Candles, storeCandles } from './candles.ts';
import type { ExchangeClient } from './run.ts';

/** The container's clients, which remember each exchange's `Retry-After`. */
let clients: ExchangeClient[] | undefined;

/** Publishes the hours of mapped coins. Throws if the store fails: the next run continues. */
export const handler = scheduled(
  (): Promise<Candles | { readonly coins: 0 }> =>
    // A run without any work is a failure, unless no exchange is enabled.
    countPublished(
      'CandlesPublished',
      () => run(environment()),
      ({ coins }) => coins > 0 || clients?.length === 0,
    ),
);

async function run(settings: Environment): Promise<Candles | { readonly coins: 0 }> {
  const startedAt = Date.now();
  const snapshots = settings.SNAPSHOT_BUCKET;
  const history = bucketIn(settings, 'HISTORY_BUCKET');
  const sources = bucketIn(settings, 'SOURCES_BUCKET');
  clients ??= exchangesOf(settings).map((exchange) => sourceClientFor(settings, exchange));
  const { content: map } = await sourcesReader(sources).map();
  if (!map || clients.length === 0) return { coins: 0 };
  // Without a snapshot prices are compared only with daily candles.
  const snapshot = snapshots ? await publishedSnapshot(snapshots) : undefined;
  const store = historyStore(history);
  return storeCandles({ store, map, clients, snapshot, startedAt });
}
