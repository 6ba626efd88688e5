import type { Received } from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';
import { describeLeftOut, type LeftOut, type TickerList } from '../../../../shared/marketdata/ticker.ts';
import { type Environment, environment } from '../../../../shared/platform/environment.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { scheduled } from '../../../../shared/platform/scheduled.ts';
import { SCHEDULED_TIME_MS, scheduledClientFor } from '../../../../shared/providers/index.ts';
import { entryOf, refreshRegistry } from '../../../../shared/registry/container.ts';
import { bucketIn } from '../bucket-in.ts';
import { historyStore } from '../history-store.ts';
import { publishedBefore } from './before.ts';
import {
  type AcceptedList,
  acceptedList,
  type Found,
  type Publication,
  type PublishedRows,
  publishFailover,
  publishList,
  type Stores,
} from './publish.ts';
import { recentQuotes } from './quotes.ts';
import { snapshotStore } from './store.ts';

interface Published extends PublishedRows {
  /** Rows that cannot be read, or cannot be true. */
  readonly unreadable: number;
  /** Some of these rows, with what is wrong with each. */
  readonly such: readonly string[];
  /** Tickers that markets contradict, and some of them with both prices. */
  readonly disputed: number;
  readonly disputes: readonly string[];
  /** Why markets stand in for the provider, if they do. */
  readonly failover?: string;
}

const NAMED = 20;

/** This container's, which remembers when the provider wants to be asked again. */
let client: ProviderClient<'tickers'> | undefined;

/**
 * Publishes all tickers in S3, and stores their samples; from what markets say, if the provider has had no list for
 * them for two intervals. Throws if one of both fails or the answer is not plausible, so that it is tried again.
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

type Outcome = Published & Pick<Publication, 'failure'>;

async function publish(settings: Environment): Promise<Outcome> {
  const bucket = bucketIn(settings, 'SNAPSHOT_BUCKET');
  const intervalSeconds = Number(settings.SNAPSHOT_MINUTES) * 60;
  const stores = storesOf(bucket, settings);
  const [[answer], quotes] = await Promise.all([
    Promise.allSettled([ask(settings)]),
    recentQuotes(settings.SOURCES_BUCKET, intervalSeconds),
    refreshRegistry(settings),
  ]);
  const found = { before: await publishedBefore(stores.snapshot), quotes, intervalSeconds };
  let list: AcceptedList;
  try {
    if (answer.status === 'rejected') throw answer.reason;
    list = acceptedList(answer.value, found.before, entryOf);
  } catch (problem) {
    return insteadOf(problem, found, stores);
  }
  const { unreadable } = list;
  if (unreadable.length > 0) count('SnapshotRowUnreadable', unreadable.length);
  return told(await publishList(list, found, stores), unreadable);
}

function ask(settings: Environment): Promise<Received<TickerList>> {
  client ??= scheduledClientFor(settings, 'tickers');
  return client.fetch(client.provider.tickers(), Date.now() + SCHEDULED_TIME_MS);
}

/** Throws the problem with the provider's list if markets cannot stand in. */
async function insteadOf(problem: unknown, found: Found, stores: Stores): Promise<Outcome> {
  const published = await publishFailover(found, stores);
  if (!published) throw problem;
  count('SnapshotFailover');
  return { ...told(published, []), failover: problem instanceof Error ? problem.message : String(problem) };
}

function told({ disputes, ...published }: Publication, unreadable: readonly LeftOut[]): Outcome {
  if (disputes.length > 0) count('TickersDisputed', disputes.length);
  return {
    ...published,
    unreadable: unreadable.length,
    such: unreadable.slice(0, NAMED).map(describeLeftOut),
    disputed: disputes.length,
    disputes: disputes.slice(0, NAMED),
  };
}

function storesOf(bucket: string, { HISTORY_BUCKET }: Environment): Stores {
  return {
    snapshot: snapshotStore(bucket),
    history: HISTORY_BUCKET ? historyStore(HISTORY_BUCKET) : undefined,
  };
}
