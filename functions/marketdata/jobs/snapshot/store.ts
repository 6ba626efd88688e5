import { format } from '../../../../shared/marketdata/snapshot/layout.ts';
import { openSnapshot, type Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../../../shared/marketdata/snapshot/store.ts';
import { type Bucket, bucketOf, type Opened, openFrom } from '../../../../shared/platform/open-object.ts';
import { replacing } from '../../../../shared/platform/publish-object.ts';

/** The snapshot as the job has it, which reads what it replaces. Throws what opening and the AWS SDK throw. */
export interface SnapshotStore {
  published(): Promise<Opened<Snapshot>>;
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  publish(bytes: Uint8Array, etag: string | undefined): Promise<void>;
  /** The provider's last list, kept while something else is published. */
  keptList(): Promise<Opened<Snapshot>>;
  keepList(bytes: Uint8Array): Promise<void>;
}

const LIST_NAME = `last-list.v${format.version}`;
const BINARY = 'application/octet-stream';

/** The snapshot in an S3 bucket. */
export function snapshotStore(bucket: string): SnapshotStore {
  return snapshotStoreIn(bucketOf(bucket, SNAPSHOT_PREFIX));
}

export function snapshotStoreIn(bucket: Bucket): SnapshotStore {
  const { put } = bucket;
  const open = openFrom(bucket);
  const keptList = () => open(LIST_NAME, openSnapshot);
  return {
    published: () => open(SNAPSHOT_NAME, openSnapshot),
    publish: (bytes, etag) => put(SNAPSHOT_NAME, bytes, BINARY, replacing(etag)),
    keptList,
    keepList: async (bytes) => put(LIST_NAME, bytes, BINARY, replacing((await keptList()).etag)),
  };
}
