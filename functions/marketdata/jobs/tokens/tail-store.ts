import { SNAPSHOT_PREFIX } from '../../../../shared/marketdata/snapshot/store.ts';
import { encodeTail, openTail, TAIL_NAME, type Tail } from '../../../../shared/marketdata/tail/tail-file.ts';
import { type Bucket, bucketOf, type Opened, openFrom } from '../../../../shared/platform/open-object.ts';
import { replacing } from '../../../../shared/platform/publish-object.ts';

/** The tail as the job has it, which replaces what it reads. */
export interface TailStore {
  published(): Promise<Opened<Tail>>;
  /** In place of the one with this ETag; undefined: if there is none. Throws ConditionFailed if that is not so. */
  publish(tail: Tail, etag: string | undefined): Promise<void>;
}

/** The tail in an S3 bucket. Throws what reading and the AWS SDK throw. */
export function tailStore(bucket: string): TailStore {
  return tailStoreIn(bucketOf(bucket, SNAPSHOT_PREFIX));
}

export function tailStoreIn(bucket: Bucket): TailStore {
  const open = openFrom(bucket);
  return {
    published: () => open(TAIL_NAME, openTail),
    publish: (tail, etag) =>
      bucket.put(TAIL_NAME, encodeTail(tail), 'application/octet-stream', replacing(etag)),
  };
}
