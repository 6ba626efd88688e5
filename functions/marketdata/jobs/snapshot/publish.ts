import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import { acceptTickers } from '../../../../shared/marketdata/gate/tickers.ts';
import type { Received } from '../../../../shared/marketdata/provider.ts';
import { encodeSnapshot } from '../../../../shared/marketdata/snapshot/encode.ts';
import { SnapshotError } from '../../../../shared/marketdata/snapshot/layout.ts';
import { openSnapshot, type Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import { describeLeftOut, type TickerList } from '../../../../shared/marketdata/ticker.ts';
import { hoursAfter } from './hours.ts';
import { type SampleStore, samplesOf, storeSamples } from './samples.ts';
import type { SnapshotStore } from './store.ts';

const READ_TIMEOUT_MS = 10_000;
const NAMED = 5;

export interface PublishedRows {
  readonly rows: number;
  /** Of these, kept from the snapshot before. */
  readonly carried: number;
}

export interface Stores {
  readonly snapshot: Pick<SnapshotStore, 'published' | 'publish'>;
  /** Undefined: no samples are kept. */
  readonly history: SampleStore | undefined;
}

interface Publication extends PublishedRows {
  /** Why the samples are not stored, if they should be: the snapshot is published all the same. */
  readonly failure?: unknown;
}

/**
 * Publishes an answer with all tickers, unless it cannot be true beside the snapshot before, or another one was
 * published meanwhile. Throws an Error that says why. The samples of the answer are stored first: the hours in a
 * snapshot are made of samples that are there, and no snapshot makes up for one that is not.
 */
export async function publishSnapshot(
  { data, madeAt, source }: Received<TickerList>,
  intervalSeconds: number,
  stores: Stores,
): Promise<Publication> {
  const previous = await publishedBefore(stores.snapshot);
  const { tickers, carried } = accepted(data, madeAt, previous.snapshot);
  const taken = { takenAt: madeAt, intervalSeconds, source };
  const since = previous.snapshot?.takenAt;
  const { samples, failure } = await storeSamples(samplesOf(tickers, taken), since, stores.history);
  const ids = [...tickers, ...carried.map(({ ticker }) => ticker)].map(({ id }) => id);
  const hours = hoursAfter(ids, previous.snapshot, samples, taken);
  await stores.snapshot.publish(encodeSnapshot({ tickers, carried, hours, ...taken }), previous.etag);
  return { rows: ids.length, carried: carried.length, failure };
}

function accepted(list: TickerList, madeAt: number, previous: Snapshot | undefined) {
  try {
    return acceptTickers(list, madeAt, previous);
  } catch (error) {
    if (!(error instanceof Implausible)) throw error;
    const named = list.unreadable.slice(0, NAMED).map(describeLeftOut);
    const unreadable = `${list.unreadable.length} rows cannot be read or cannot be true, such as ${named.join('; ')}`;
    throw new Error(`Not published: ${error.message}${named.length > 0 ? ` (${unreadable})` : ''}`);
  }
}

interface Before {
  /** Undefined also if what is published cannot be read: that is no reason to leave it there. */
  readonly snapshot?: Snapshot;
  readonly etag?: string | undefined;
}

async function publishedBefore(store: Pick<SnapshotStore, 'published'>): Promise<Before> {
  const object = await store.published(AbortSignal.timeout(READ_TIMEOUT_MS));
  if (!object) return {};
  try {
    return { snapshot: openSnapshot(object.bytes), etag: object.etag };
  } catch (error) {
    if (error instanceof SnapshotError) return { etag: object.etag };
    throw error;
  }
}
