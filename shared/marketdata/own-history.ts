import type { Environment } from '../platform/environment.ts';
import type { OwnStore } from './own-prices.ts';
import { currentSnapshot } from './store/current-snapshot.ts';
import { historyReader } from './store/reader.ts';
import { StoredHistory } from './store/stored-history.ts';

const containers = new WeakMap<Environment, StoredHistory>();

/** This container's reader of the stored history; undefined without a bucket. */
export function storedHistory(environment: Environment): StoredHistory | undefined {
  const { HISTORY_BUCKET: bucket, TOKEN_SOURCES: names } = environment;
  if (!bucket) return undefined;
  const tokenSources = names.split(',').filter(Boolean);
  const history =
    containers.get(environment) ?? new StoredHistory({ reader: historyReader(bucket), tokenSources });
  containers.set(environment, history);
  return history;
}

/** The same for requests; undefined without a bucket. */
export async function ownHistory(environment: Environment): Promise<OwnStore | undefined> {
  const store = storedHistory(environment);
  return store && { store, snapshot: await currentSnapshot(environment) };
}
