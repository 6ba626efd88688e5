import type { LastSnapshots } from '../../../../shared/marketdata/gate/tickers.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../../../shared/marketdata/store/current-snapshot.ts';
import { FAILOVER, format, openSnapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { objectsOf, replacing } from '../../../../shared/platform/objects.ts';
import { openFrom } from '../../../../shared/platform/stored-object.ts';

/** The objects that a run replaces. `published` is also missing if it cannot be opened: then it is set aside. */
export interface Before extends LastSnapshots {
  readonly etag?: string | undefined;
  /** The bytes of `list`. */
  readonly listBytes?: Uint8Array | undefined;
}

const LIST_NAME = `last-list.v${format.version}`;

export type SnapshotStore = ReturnType<typeof snapshotStore>;

/** The snapshot in an S3 bucket, for its job, with the objects that it replaces. Throws what opening and the AWS SDK throw. */
export function snapshotStore(bucket: string) {
  const objects = objectsOf(bucket, SNAPSHOT_PREFIX);
  const open = openFrom(objects);
  const put = (name: string, bytes: Uint8Array, etag: string | undefined) =>
    objects.put(name, bytes, 'application/octet-stream', replacing(etag));
  return {
    async before(): Promise<Before> {
      const { content: published, etag, bytes } = await open(SNAPSHOT_NAME, openSnapshot);
      if (!published) return { etag };
      if (published.source !== FAILOVER) return { published, etag, list: published, listBytes: bytes };
      const kept = await open(LIST_NAME, openSnapshot);
      return { published, etag, list: kept.content, listBytes: kept.bytes };
    },
    /** Replaces the snapshot with this ETag; undefined: creates it. Throws ConditionFailed if another run was quicker. */
    publish: (bytes: Uint8Array, etag: string | undefined) => put(SNAPSHOT_NAME, bytes, etag),
    /** Keeps the provider's last list while other sources replace it. */
    keepList: async (bytes: Uint8Array) => put(LIST_NAME, bytes, (await open(LIST_NAME, openSnapshot)).etag),
  };
}
