import { nothingYet, objectsOf, type StoredObject } from '../../platform/objects.ts';

const NAME = 'tickers';

/** The published snapshot: one object, which a put replaces in one step. */
export interface SnapshotStore {
  /** Undefined if it still has that ETag. */
  newer(
    etag: string | undefined,
    options: { readonly answerWithinMs: number; readonly signal: AbortSignal },
  ): Promise<StoredObject | undefined>;
  /** Undefined if there is none yet. */
  published(signal: AbortSignal): Promise<StoredObject | undefined>;
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  publish(bytes: Uint8Array, etag: string | undefined): Promise<void>;
}

/** The snapshot in an S3 bucket. Throws what the AWS SDK throws. */
export function snapshotStore(bucket: string): SnapshotStore {
  const objects = objectsOf(bucket, 'snapshot/');
  return {
    newer: (etag, options) => objects.getNewer(NAME, etag, options),
    published: (signal) => objects.get(NAME, signal).catch(nothingYet),
    publish: (bytes, etag) => {
      const condition = etag === undefined ? { ifNoneMatch: '*' as const } : { ifMatch: etag };
      return objects.put(NAME, bytes, 'application/octet-stream', condition);
    },
  };
}
