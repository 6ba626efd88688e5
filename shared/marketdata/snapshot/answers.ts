import { isOutage } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { count, recordValue } from '../../platform/metrics.ts';
import { withTimeout } from '../../platform/with-timeout.ts';
import type { Cached } from '../../providers/client/cache.ts';
import { coinPaprika, type ProviderData } from '../../providers/coinpaprika/client.ts';
import { TICKER_STALE_MS, type Ticker, ticker } from '../../providers/coinpaprika/ticker.ts';
import { outdatedFrom, SnapshotCache } from './cache.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotStore } from './store.ts';

type Answer = Cached<ProviderData<Ticker>>;

let holder: SnapshotCache | undefined;

function snapshotOf({ SNAPSHOT_BUCKET: bucket, STALE_WAIT_MS }: Environment): Promise<Snapshot | undefined> {
  if (!bucket) return Promise.resolve(undefined);
  holder ??= new SnapshotCache({
    store: snapshotStore(bucket),
    staleWaitMs: Number(STALE_WAIT_MS),
    outcome: (outcome) => {
      count(outcome);
      if (outcome === 'SnapshotRefreshFailed') count('SharedStoreFailures');
    },
  });
  return holder.current();
}

/**
 * The current ticker of a coin: from the snapshot, which costs no upstream request; where that is outdated or does
 * not have the coin, from the provider; where that fails, from the outdated snapshot, marked stale. Throws as
 * `ticker` does.
 */
export async function currentTicker(environment: Environment, id: string, deadline: number): Promise<Answer> {
  const freshMs = Number(environment.TICKER_FRESH_SECONDS) * 1000;
  return tickerFrom(await snapshotOf(environment), id, {
    single: () => ticker(coinPaprika(environment), id, { deadline, freshMs }),
    staleWaitMs: Number(environment.STALE_WAIT_MS),
  });
}

/** The same from a given snapshot, with `single` to ask the provider for this one coin. */
export async function tickerFrom(
  snapshot: Snapshot | undefined,
  id: string,
  { single, staleWaitMs }: { readonly single: () => Promise<Answer>; readonly staleWaitMs: number },
): Promise<Answer> {
  const row = snapshot?.ticker(id);
  if (!snapshot || !row) return single();

  const fromSnapshot = { value: row, freshUntil: snapshot.takenAt + snapshot.intervalMs };
  recordValue('SnapshotAge', Math.round((Date.now() - snapshot.takenAt) / 1000));
  const outdatedMs = Date.now() - outdatedFrom(snapshot);
  if (outdatedMs < 0) return { ...fromSnapshot, stale: false };
  count('SnapshotOutdated');
  if (outdatedMs >= TICKER_STALE_MS) return single();
  const answer = await withTimeout(staleWaitMs, single()).catch((error: unknown) => {
    if (!isOutage(error)) throw error;
  });
  const isBetter = answer && (!answer.stale || answer.value.madeAt >= row.madeAt);
  return isBetter ? answer : { ...fromSnapshot, stale: true };
}
