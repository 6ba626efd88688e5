import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import { describeLeftOut } from '../../../../shared/marketdata/ticker.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { SCHEDULED_TIME_MS, scheduledClientFor } from '../../../../shared/providers/index.ts';
import { historyStore } from '../history-store.ts';
import { type PublishedRows, publishSnapshot, type Stores } from './publish.ts';
import { snapshotStore } from './store.ts';

interface Published extends PublishedRows {
  /** Rows that cannot be read, or cannot be true. */
  readonly unreadable: number;
  /** Some of these rows, with what is wrong with each. */
  readonly such: readonly string[];
}

const NAMED = 20;

/** This container's, which remembers when the provider wants to be asked again. */
let client: ProviderClient<'tickers'> | undefined;

/**
 * Publishes all tickers in S3, and stores their samples. Throws if one of both fails or the answer is not plausible, so
 * that it is tried again.
 */
export const handler = scheduled(async (): Promise<Published> => {
  const { failure, ...published } = await publish(environment()).catch((error: unknown) => {
    count('SnapshotNotPublished');
    count('SnapshotPublished', 0); // an alarm sees a zero at once, and silence only after a while
    throw error;
  });
  count('SnapshotPublished');
  if (failure !== undefined) throw failure;
  return published;
});

async function publish(settings: Environment): Promise<Published & { readonly failure?: unknown }> {
  const bucket = settings.SNAPSHOT_BUCKET;
  if (!bucket) throw new Error('Environment variable SNAPSHOT_BUCKET is not set');
  client ??= scheduledClientFor(settings, 'tickers');
  const answer = await client.fetch(client.provider.tickers(), Date.now() + SCHEDULED_TIME_MS);
  const seconds = Number(settings.SNAPSHOT_MINUTES) * 60;
  const published = await publishSnapshot(answer, seconds, storesOf(bucket, settings));
  const { unreadable } = answer.data;
  if (unreadable.length > 0) count('SnapshotRowUnreadable', unreadable.length);
  const such = unreadable.slice(0, NAMED).map(describeLeftOut);
  return { ...published, unreadable: unreadable.length, such };
}

function storesOf(bucket: string, { HISTORY_BUCKET }: Environment): Stores {
  return {
    snapshot: snapshotStore(bucket),
    history: HISTORY_BUCKET ? historyStore(HISTORY_BUCKET) : undefined,
  };
}
