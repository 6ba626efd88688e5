import { oncePer } from '../platform/caches.ts';
import type { Environment } from '../platform/environment.ts';
import type { OwnStore } from './own-prices.ts';
import { coinCandlesOf } from './store/coin-objects.ts';
import { currentSnapshot } from './store/current-snapshot.ts';
import { type HistoryReader, historyReader } from './store/reader.ts';
import { StoredHistory } from './store/stored-history.ts';

/** This container's reader of the stored history; without a bucket, of what was fetched here. */
export const storedHistory = oncePer((environment: Environment): StoredHistory => {
  const { HISTORY_BUCKET: bucket, TOKEN_SOURCES: names } = environment;
  return new StoredHistory({
    reader: bucket ? historyReader(bucket) : nothing,
    fetched: (id) => coinCandlesOf(environment).read(id),
    tokenSources: names.split(',').filter(Boolean),
  });
});

/** The history and the snapshot for one request. */
export async function ownHistory(environment: Environment): Promise<OwnStore> {
  return { store: storedHistory(environment), snapshot: await currentSnapshot(environment) };
}

const none = async () => undefined;
const nothing: HistoryReader = { table: none, series: none, samples: none };
