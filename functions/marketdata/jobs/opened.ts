/** What jobs look into beside their own stores. */

import { snapshotReader } from '../../../shared/marketdata/store/current-snapshot.ts';
import { openSnapshot, type Snapshot, SnapshotError } from '../../../shared/marketdata/store/snapshot.ts';
import { count } from '../../../shared/platform/metrics.ts';
import { openIndex } from '../../../shared/registry/index-file.ts';
import { RegistryLookups } from '../../../shared/registry/lookups.ts';
import { RegistryError } from '../../../shared/registry/manifest.ts';

const READ_TIMEOUT_MS = 10_000;

/** The coin registry; undefined if it cannot be opened, which is counted. */
export function registryIn(path: string): RegistryLookups | undefined {
  try {
    return new RegistryLookups(openIndex(path));
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    count('RegistryUnavailable');
    return undefined;
  }
}

/** The snapshot that counts; undefined also if it cannot be read. Throws what the store throws. */
export async function publishedSnapshot(bucket: string): Promise<Snapshot | undefined> {
  const object = await snapshotReader(bucket).published(AbortSignal.timeout(READ_TIMEOUT_MS));
  try {
    return object && openSnapshot(object.bytes);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    return undefined;
  }
}
