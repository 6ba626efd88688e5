import {
  SNAPSHOT_NAME,
  SNAPSHOT_PREFIX,
  type SnapshotReader,
  snapshotReader,
} from '../../../../shared/marketdata/snapshot/store.ts';
import { nothingYet, objectsOf, type StoredObject } from '../../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../../shared/platform/publish-object.ts';

/** The snapshot as the job has it, which reads what it replaces. */
export interface SnapshotStore extends SnapshotReader {
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  publish(bytes: Uint8Array, etag: string | undefined): Promise<void>;
  /** The provider's last list, kept while something else is published. Undefined if none ever was. */
  keptList(signal: AbortSignal): Promise<StoredObject | undefined>;
  keepList(bytes: Uint8Array): Promise<void>;
}

const LIST_NAME = 'last-list';
const BINARY = 'application/octet-stream';

/** The snapshot in an S3 bucket. Throws what reading and the AWS SDK throw. */
export function snapshotStore(bucket: string): SnapshotStore {
  const put = publisherOf(bucket, SNAPSHOT_PREFIX);
  const objects = objectsOf(bucket, SNAPSHOT_PREFIX);
  return {
    ...snapshotReader(bucket),
    publish: (bytes, etag) => put(SNAPSHOT_NAME, bytes, BINARY, replacing(etag)),
    keptList: (signal) => objects.get(LIST_NAME, signal).catch(nothingYet),
    keepList: (bytes) => put(LIST_NAME, bytes, BINARY),
  };
}
