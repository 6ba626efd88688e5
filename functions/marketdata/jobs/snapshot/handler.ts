import { lifetimes } from '../../../../shared/marketdata/freshness.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { type CoinQuotes, sourcesReader } from '../../../../shared/marketdata/sources/source-map.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { elapsedMs } from '../../../../shared/platform/time.ts';
import { coinProvider, SCHEDULED_TIME_MS, scheduledClient } from '../../../../shared/providers/index.ts';
import { entryOf, refreshRegistry } from '../../../../shared/registry/container.ts';
import { bucketIn } from '../bucket-in.ts';
import { historyStore } from '../history-store.ts';
import { type Publication, publishSnapshot } from './publish.ts';
import { snapshotStore } from './store.ts';

/** The container's client, which remembers the provider's `Retry-After`. */
let client: ProviderClient<'tickers'> | undefined;

/**
 * Publishes all tickers in S3, and stores their samples. Uses the prices of markets if the provider has had no list for two
 * intervals. Throws if publishing or storing fails or the list is not plausible, so that the run is repeated.
 */
export const handler = scheduled(async (): Promise<Omit<Publication, 'failure'>> => {
  const { failure, ...published } = await publish(environment()).catch((error: unknown) => {
    count('SnapshotNotPublished');
    count('SnapshotPublished', 0); // the alarm reacts to a zero at once, and to missing data only after a while
    throw error;
  });
  count('SnapshotPublished');
  if (failure !== undefined) throw failure;
  return published;
});

async function publish(settings: Environment): Promise<Publication> {
  const snapshots = snapshotStore(bucketIn(settings, 'SNAPSHOT_BUCKET'));
  const history = settings.HISTORY_BUCKET ? historyStore(settings.HISTORY_BUCKET) : undefined;
  const intervalSeconds = Number(settings.SNAPSHOT_MINUTES) * 60;
  client ??= scheduledClient(settings, coinProvider);
  const list = client.fetch(client.provider.tickers(), Date.now() + SCHEDULED_TIME_MS);
  const [[response], quotes] = await Promise.all([
    Promise.allSettled([list]),
    recentQuotes(settings.SOURCES_BUCKET, intervalSeconds),
    refreshRegistry(settings),
  ]);
  return publishSnapshot(response, { snapshots, history, quotes, intervalSeconds, labelsOf: entryOf });
}

/** Undefined if there are no recent quotes, or if they cannot be read. Never throws: a list is published without them too. */
async function recentQuotes(
  bucket: string | undefined,
  intervalSeconds: number,
): Promise<CoinQuotes | undefined> {
  if (!bucket) return undefined;
  try {
    const { content: quotes } = await sourcesReader(bucket).quotes();
    const recentMs = lifetimes.snapshot.intervals * intervalSeconds * 1000;
    return quotes && elapsedMs(quotes.takenAt) <= recentMs ? quotes : undefined;
  } catch {
    count('SharedStoreFailures');
    return undefined;
  }
}
