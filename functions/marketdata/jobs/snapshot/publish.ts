import type { Received } from '../../../../shared/marketdata/provider.ts';
import { encodeSnapshot } from '../../../../shared/marketdata/snapshot/encode.ts';
import {
  openSnapshot,
  type Snapshot,
  SnapshotError,
} from '../../../../shared/marketdata/snapshot/snapshot.ts';
import type { SnapshotStore } from '../../../../shared/marketdata/snapshot/store.ts';
import type { TickerList } from '../../../../shared/marketdata/ticker.ts';
import { isSuddenDrop } from '../../../../shared/platform/is-sudden-drop.ts';

const READ_TIMEOUT_MS = 10_000;
/** By then it is the provider's new size, and one snapshot is better than none. */
const COMPARED_FOR_MS = 24 * 3_600_000;
const NAMED = 5;

/** Publishes an answer with all tickers unless it lost too many of the rows of the one before; throws an Error then. */
export async function publishSnapshot(
  { data: { tickers, unreadable }, madeAt, source }: Received<TickerList>,
  intervalSeconds: number,
  store: Pick<SnapshotStore, 'published' | 'publish'>,
): Promise<void> {
  const previous = await publishedBefore(store);
  const before = previous && madeAt - previous.takenAt < COMPARED_FOR_MS ? previous.rows : 0;
  if (tickers.length === 0 || isSuddenDrop(tickers.length, before)) {
    const named = unreadable.slice(0, NAMED).join('; ');
    throw new Error(
      `The provider's answer has ${tickers.length} tickers where the snapshot in S3 has ${before}: not published` +
        (named && ` (${unreadable.length} rows cannot be read, such as ${named})`),
    );
  }
  await store.publish(encodeSnapshot({ tickers, takenAt: madeAt, intervalSeconds, source }));
}

/** Undefined also if what is published cannot be read: that is no reason to leave it there. */
async function publishedBefore(store: Pick<SnapshotStore, 'published'>): Promise<Snapshot | undefined> {
  const object = await store.published(AbortSignal.timeout(READ_TIMEOUT_MS));
  try {
    return object && openSnapshot(object.bytes);
  } catch (error) {
    if (error instanceof SnapshotError) return undefined;
    throw error;
  }
}
