import { MAX_CLOCK_LEAD_MS } from '../../../../shared/marketdata/gate/bounds.ts';
import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import { type AcceptedTickers, acceptTickers } from '../../../../shared/marketdata/gate/tickers.ts';
import type { Labels, Received } from '../../../../shared/marketdata/provider.ts';
import { encodeSnapshot, type SnapshotContent } from '../../../../shared/marketdata/snapshot/encode.ts';
import { FAILOVER } from '../../../../shared/marketdata/snapshot/layout.ts';
import { rowIds } from '../../../../shared/marketdata/snapshot/row-ids.ts';
import type { CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import { describeLeftOut, type TickerList } from '../../../../shared/marketdata/ticker.ts';
import { type Before, isFailover } from './before.ts';
import { failoverOf } from './failover.ts';
import { hoursAfter } from './hours.ts';
import { compared } from './opinion.ts';
import { type SampleStore, type Sourced, samplesOf, storeSamples } from './samples.ts';
import type { SnapshotStore } from './store.ts';

const NAMED = 5;

export interface PublishedRows {
  readonly rows: number;
  /** Of these, kept from the snapshot before. */
  readonly carried: number;
}

export interface Stores {
  readonly snapshot: Pick<SnapshotStore, 'published' | 'publish' | 'keptList' | 'keepList'>;
  /** Undefined: no samples are kept. */
  readonly history: SampleStore | undefined;
}

export interface Publication extends PublishedRows {
  /** In words, the tickers that markets contradict. */
  readonly disputes: readonly string[];
  /** Why the samples are not stored, if they should be: the snapshot is published all the same. */
  readonly failure?: unknown;
}

/** What a run has to work with. */
export interface Found {
  readonly before: Before;
  /** Undefined if there are none, or none that are of now. */
  readonly quotes: CoinQuotes | undefined;
  readonly intervalSeconds: number;
}

/** A provider's list as it may be published. */
export interface AcceptedList extends AcceptedTickers, Pick<Received<unknown>, 'madeAt' | 'source'> {}

/** Throws an Error that says why, if the list cannot be true beside the one before, or what the registry says. */
export function acceptedList(
  { data, madeAt, source }: Received<TickerList>,
  { published, list: before }: Before,
  labelsOf?: (id: string) => Labels | undefined,
): AcceptedList {
  try {
    const isFuture = published && published.takenAt > Date.now() + MAX_CLOCK_LEAD_MS;
    if (published && !isFuture && madeAt <= published.takenAt) {
      throw new Implausible('Older', 'a list that is not newer than the published one');
    }
    return { ...acceptTickers(data, madeAt, before?.snapshot, labelsOf), madeAt, source };
  } catch (error) {
    if (!(error instanceof Implausible)) throw error;
    const { unreadable } = data;
    const named = unreadable.slice(0, NAMED).map(describeLeftOut);
    const those = `${unreadable.length} rows cannot be read or cannot be true, such as ${named.join('; ')}`;
    throw new Error(`Not published: ${error.message}${named.length > 0 ? ` (${those})` : ''}`);
  }
}

/**
 * Publishes a list with what markets say to it, unless another one was published meanwhile. Throws what the stores
 * throw.
 */
export async function publishList(
  { carried, madeAt, source, ...accepted }: AcceptedList,
  { before, quotes, intervalSeconds }: Found,
  stores: Stores,
): Promise<Publication> {
  const { tickers, disputed } = compared(accepted.tickers, quotes);
  const content = {
    tickers,
    disputed: new Set(disputed.keys()),
    others: carried,
    takenAt: madeAt,
    intervalSeconds,
    source,
  };
  // A candle would keep for ever as its wick what nobody else saw.
  const sampled = tickers.filter(({ id }) => !disputed.has(id)).map((ticker) => ({ ticker }));
  const failure = await put(content, sampled, before, stores);
  const rows = tickers.length + carried.length;
  return { rows, carried: carried.length, disputes: [...disputed.values()], failure };
}

/**
 * Publishes what markets say in place of a list that cannot be had, if the last one is two intervals old by now and
 * markets were asked in this interval. Undefined: nothing is published. The provider's list is kept for later lists to
 * be compared with. Throws what the stores throw.
 */
export async function publishFailover(
  { before, quotes, intervalSeconds }: Found,
  stores: Stores,
): Promise<Publication | undefined> {
  const { published, list, etag } = before;
  const now = Date.now();
  // By half an interval, because two runs are never quite one interval apart.
  const limitMs = intervalSeconds * 1000 * 1.5;
  if (!published || !list || !quotes || published.takenAt >= now) return undefined;
  if (now - list.snapshot.takenAt < limitMs || now - quotes.takenAt >= limitMs) return undefined;
  const last = { list: list.snapshot, published };
  const { priced, carried } = failoverOf(rowIds(list.bytes), last, quotes, now);
  if (priced.length === 0) return undefined;
  if (!isFailover(published)) await stores.snapshot.keepList(list.bytes);
  const content = {
    tickers: [],
    others: [...priced, ...carried],
    takenAt: now,
    intervalSeconds,
    source: FAILOVER,
  };
  const failure = await put(content, priced, { published, etag }, stores);
  return { rows: content.others.length, carried: carried.length, disputes: [], failure };
}

/**
 * Stores the samples and then publishes the snapshot: the hours in a snapshot are made of samples that are there, and no
 * snapshot makes up for one that is not. Returns why the samples are not stored, if they should be.
 */
async function put(
  content: Omit<SnapshotContent, 'hours'> & Required<Pick<SnapshotContent, 'others'>>,
  sampled: readonly Sourced[],
  { published, etag }: Pick<Before, 'published' | 'etag'>,
  stores: Stores,
): Promise<unknown> {
  const { takenAt, intervalSeconds, source } = content;
  const taken = { takenAt, intervalSeconds, source };
  const { samples, failure } = await storeSamples(
    samplesOf(sampled, taken),
    published?.takenAt,
    stores.history,
  );
  const ids = [...content.tickers, ...content.others.map(({ ticker }) => ticker)].map(({ id }) => id);
  const hours = hoursAfter(ids, published, samples, taken);
  await stores.snapshot.publish(encodeSnapshot({ ...content, hours }), etag);
  return failure;
}
