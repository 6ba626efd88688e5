import { FAILOVER, SnapshotError } from '../../../../shared/marketdata/snapshot/layout.ts';
import { openSnapshot, type Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import type { StoredObject } from '../../../../shared/platform/objects.ts';
import type { SnapshotStore } from './store.ts';

const READ_TIMEOUT_MS = 10_000;

/** A snapshot with the bytes that it was opened from. */
export interface Opened {
  readonly snapshot: Snapshot;
  readonly bytes: Uint8Array;
}

export interface Before {
  /** Undefined also if what is published cannot be read: that is no reason to leave it there. */
  readonly published?: Snapshot | undefined;
  readonly etag?: string | undefined;
  /** The provider's last list: what is published, or what it was before a failover. */
  readonly list?: Opened | undefined;
}

/** What this run finds. Throws what reading throws. */
export async function publishedBefore(store: Pick<SnapshotStore, 'published' | 'keptList'>): Promise<Before> {
  const object = await store.published(AbortSignal.timeout(READ_TIMEOUT_MS));
  const opened = openedOf(object);
  if (!opened) return { etag: object?.etag };
  const published = opened.snapshot;
  const list = isFailover(published)
    ? openedOf(await store.keptList(AbortSignal.timeout(READ_TIMEOUT_MS)))
    : opened;
  return { published, etag: object?.etag, list };
}

/** Whether it was made of other sources, because the provider's list could not be had. */
export function isFailover({ source }: Snapshot): boolean {
  return source === FAILOVER;
}

function openedOf(object: StoredObject | undefined): Opened | undefined {
  if (!object) return undefined;
  try {
    return { snapshot: openSnapshot(object.bytes), bytes: object.bytes };
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}
