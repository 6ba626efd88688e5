import { oncePer } from '../platform/caches.ts';
import type { Environment } from '../platform/environment.ts';
import type { OwnStore } from './own-prices.ts';
import { currentSnapshot } from './store/current-snapshot.ts';
import { historyReader } from './store/reader.ts';
import { StoredHistory } from './store/stored-history.ts';

const historyOf = oncePer(
  ({ HISTORY_BUCKET: bucket = '', TOKEN_SOURCES: names }: Environment) =>
    new StoredHistory({ reader: historyReader(bucket), tokenSources: names.split(',').filter(Boolean) }),
);

/** This container's reader of the stored history; undefined without a bucket. */
export function storedHistory(environment: Environment): StoredHistory | undefined {
  return environment.HISTORY_BUCKET ? historyOf(environment) : undefined;
}

/** The history and the snapshot for one request; undefined without a bucket. */
export async function ownHistory(environment: Environment): Promise<OwnStore | undefined> {
  const store = storedHistory(environment);
  return store && { store, snapshot: await currentSnapshot(environment) };
}
