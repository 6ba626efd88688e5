import {
  SNAPSHOT_NAME,
  SNAPSHOT_PREFIX,
  type SnapshotReader,
  snapshotReader,
} from '../../../../shared/marketdata/snapshot/store.ts';
import { publisherOf } from '../../../../shared/platform/publish-object.ts';

/** The snapshot as the job has it, which reads what it replaces. */
export interface SnapshotStore extends SnapshotReader {
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  publish(bytes: Uint8Array, etag: string | undefined): Promise<void>;
}

/** The snapshot in an S3 bucket. Throws what reading and the AWS SDK throw. */
export function snapshotStore(bucket: string): SnapshotStore {
  const put = publisherOf(bucket, SNAPSHOT_PREFIX);
  return {
    ...snapshotReader(bucket),
    publish: (bytes, etag) =>
      put(
        SNAPSHOT_NAME,
        bytes,
        'application/octet-stream',
        etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: etag },
      ),
  };
}
