import { SnapshotError } from '../../../../shared/marketdata/snapshot/layout.ts';
import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/snapshot/store.ts';
import { TAIL_NAME } from '../../../../shared/marketdata/tail/tail.ts';
import { encodeTail, openTail, type Tail } from '../../../../shared/marketdata/tail/tail-file.ts';
import { nothingYet, objectsOf } from '../../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../../shared/platform/publish-object.ts';
import type { Bucket } from '../sources-store.ts';

/** The tail as the job has it, which replaces what it reads. */
export interface TailStore {
  /** Without a tail also if what is published cannot be read: that is no reason to leave it there. */
  published(): Promise<{ readonly tail?: Tail; readonly etag?: string | undefined }>;
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  publish(tail: Tail, etag: string | undefined): Promise<void>;
}

const TIMEOUT_MS = 10_000;

/** The tail in an S3 bucket. Throws what reading and the AWS SDK throw. */
export function tailStore(bucket: string): TailStore {
  return tailStoreIn({
    objects: objectsOf(bucket, SNAPSHOT_PREFIX),
    put: publisherOf(bucket, SNAPSHOT_PREFIX),
  });
}

export function tailStoreIn({ objects, put }: Bucket): TailStore {
  return {
    async published() {
      const object = await objects.get(TAIL_NAME, AbortSignal.timeout(TIMEOUT_MS)).catch(nothingYet);
      if (!object) return {};
      try {
        return { tail: openTail(object.bytes), etag: object.etag };
      } catch (error) {
        if (error instanceof SnapshotError) return { etag: object.etag };
        throw error;
      }
    },
    publish: (tail, etag) => put(TAIL_NAME, encodeTail(tail), 'application/octet-stream', replacing(etag)),
  };
}
