import type { LastSnapshots } from '../../../../shared/marketdata/gate/tickers.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import { FAILOVER, format, openSnapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { objectsOf, replacing } from '../../../../shared/platform/objects.ts';
import { type Bucket, openFrom } from '../../../../shared/platform/stored-object.ts';

/** The objects that a run replaces. `published` is also missing if it cannot be opened: then it is set aside. */
export interface Before extends LastSnapshots {
  readonly etag?: string | undefined;
  /** The bytes of `list`. */
  readonly listBytes?: Uint8Array | undefined;
}

/** The snapshot for its job, with the objects that it replaces. Throws what opening and the AWS SDK throw. */
export interface SnapshotStore {
  before(): Promise<Before>;
  /** Replaces the snapshot with this ETag; undefined: creates it. Throws ConditionFailed if another run was quicker. */
  publish(bytes: Uint8Array, etag: string | undefined): Promise<void>;
  /** Keeps the provider's last list while other sources replace it. */
  keepList(bytes: Uint8Array): Promise<void>;
}

const LIST_NAME = `last-list.v${format.version}`;

/** The snapshot in an S3 bucket. */
export function snapshotStore(bucket: string): SnapshotStore {
  return snapshotStoreIn(objectsOf(bucket, SNAPSHOT_PREFIX));
}

export function snapshotStoreIn(bucket: Bucket): SnapshotStore {
  const open = openFrom(bucket);
  const put = (name: string, bytes: Uint8Array, etag: string | undefined) =>
    bucket.put(name, bytes, 'application/octet-stream', replacing(etag));
  return {
    async before() {
      const { content: published, etag, bytes } = await open(SNAPSHOT_NAME, openSnapshot);
      if (!published) return { etag };
      if (published.source !== FAILOVER) return { published, etag, list: published, listBytes: bytes };
      const kept = await open(LIST_NAME, openSnapshot);
      return { published, etag, list: kept.content, listBytes: kept.bytes };
    },
    publish: (bytes, etag) => put(SNAPSHOT_NAME, bytes, etag),
    keepList: async (bytes) => put(LIST_NAME, bytes, (await open(LIST_NAME, openSnapshot)).etag),
  };
}
