import { FAILOVER } from '../../../../shared/marketdata/snapshot/layout.ts';
import type { Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import type { Opened as OpenedObject } from '../../../../shared/platform/open-object.ts';
import type { SnapshotStore } from './store.ts';

/** A snapshot with the bytes that it was opened from. */
export interface Opened {
  readonly snapshot: Snapshot;
  readonly bytes: Uint8Array;
}

export interface Before {
  /** Undefined also if what is published cannot be opened: then it is set aside. */
  readonly published?: Snapshot | undefined;
  readonly etag?: string | undefined;
  /** The provider's last list: what is published, or what it was before a failover. */
  readonly list?: Opened | undefined;
}

/** What this run finds. Throws what reading throws. */
export async function publishedBefore(store: Pick<SnapshotStore, 'published' | 'keptList'>): Promise<Before> {
  const object = await store.published();
  const { content: published, etag } = object;
  if (!published) return { etag };
  return { published, etag, list: openedOf(isFailover(published) ? await store.keptList() : object) };
}

/** Whether it was made of other sources, because the provider's list could not be had. */
export function isFailover({ source }: Snapshot): boolean {
  return source === FAILOVER;
}

function openedOf({ content, bytes }: OpenedObject<Snapshot>): Opened | undefined {
  return content && bytes && { snapshot: content, bytes };
}
