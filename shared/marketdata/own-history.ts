import type { Environment } from '../platform/environment.ts';
import type { OwnHistory } from './history.ts';
import { currentSnapshot } from './store/current-snapshot.ts';
import { historyReader } from './store/reader.ts';
import { StoredHistory } from './store/stored-history.ts';

let container: StoredHistory | undefined;

/** This container's view of our own history; undefined without a bucket. */
export function storedHistory({
  HISTORY_BUCKET: bucket,
  TOKEN_SOURCES: names,
}: Environment): StoredHistory | undefined {
  if (!bucket) return undefined;
  const tokenSources = names.split(',').filter(Boolean);
  container ??= new StoredHistory({ reader: historyReader(bucket), tokenSources });
  return container;
}

/** The same as a request needs it; undefined without a bucket. */
export async function ownHistory(environment: Environment): Promise<OwnHistory | undefined> {
  const store = storedHistory(environment);
  return store && { store, snapshot: await currentSnapshot(environment) };
}
