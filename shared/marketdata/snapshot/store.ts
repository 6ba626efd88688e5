import { nothingYet, objectsOf, type StoredObject } from '../../platform/objects.ts';
import { format } from './layout.ts';

export const SNAPSHOT_PREFIX = 'snapshot/';
export const SNAPSHOT_NAME = `tickers.v${format.version}`;

/** The published snapshot: one object, which a put replaces in one step. */
export interface SnapshotReader {
  /** Undefined if it still has that ETag. */
  newer(
    etag: string | undefined,
    options: { readonly answerWithinMs: number; readonly signal: AbortSignal },
  ): Promise<StoredObject | undefined>;
  /** Undefined if there is none yet. */
  published(signal: AbortSignal): Promise<StoredObject | undefined>;
}

/** The snapshot in an S3 bucket. Throws what `objectsOf` throws. */
export function snapshotReader(bucket: string): SnapshotReader {
  const objects = objectsOf(bucket, SNAPSHOT_PREFIX);
  return {
    newer: (etag, options) => objects.getNewer(SNAPSHOT_NAME, etag, options),
    published: (signal) => objects.get(SNAPSHOT_NAME, signal).catch(nothingYet),
  };
}
