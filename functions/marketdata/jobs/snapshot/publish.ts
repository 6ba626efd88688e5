import { Implausible } from '../../../../shared/marketdata/gate/implausible.ts';
import {
  type AcceptedTickers,
  acceptTickers,
  NO_NEWS_MS,
  newsTimeOf,
} from '../../../../shared/marketdata/gate/tickers.ts';
import type { Labels, Received } from '../../../../shared/marketdata/provider.ts';
import type { CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import { FAILOVER } from '../../../../shared/marketdata/store/snapshot.ts';
import { encodeSnapshot, type SnapshotContent } from '../../../../shared/marketdata/store/snapshot-writer.ts';
import { describeLeftOut, type TickerList } from '../../../../shared/marketdata/ticker.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { failoverOf } from './market-prices.ts';
import { hoursAfter, type SampledRow, type SampleStore, storeSamples } from './samples.ts';
import type { Before, SnapshotStore } from './store.ts';

/** Errors and results name this many rows. */
const NAMED = { error: 5, result: 20 } as const;

export interface SnapshotOptions {
  readonly snapshots: SnapshotStore;
  /** Undefined: samples are not stored. */
  readonly history: SampleStore | undefined;
  /** Prices of markets; undefined if none are current. */
  readonly quotes: CoinQuotes | undefined;
  readonly intervalSeconds: number;
  /** The registry's symbol and name of a coin. */
  readonly labelsOf?: ((id: string) => Labels | undefined) | undefined;
}

export interface Publication {
  readonly rows: number;
  /** Rows kept from the last snapshot. */
  readonly carried: number;
  /** Rows that cannot be read or are implausible. */
  readonly unreadable: number;
  /** Some of these rows, each with its problem. */
  readonly such: readonly string[];
  /** Some of the coins whose price is held back, with the reason. */
  readonly held: readonly string[];
  /** Rows of the list with a figure that is held back. */
  readonly figuresHeld: number;
  /** The number of tickers that markets contradict. */
  readonly disputed: number;
  readonly disputes: readonly string[];
  /** Why markets replace the provider, if they do. */
  readonly failover?: string;
  /** Why the samples could not be stored: the snapshot is published all the same. */
  readonly failure?: unknown;
}

/**
 * Publishes the provider's list, or the prices of markets if the list is unavailable or implausible. Throws the problem with
 * the list if neither may be published, what the stores throw, and ConditionFailed if another run was quicker.
 */
export async function publishSnapshot(
  response: PromiseSettledResult<Received<TickerList>>,
  options: SnapshotOptions,
): Promise<Publication> {
  const before = await options.snapshots.before();
  let list: AcceptedTickers & Received<unknown>;
  try {
    if (response.status === 'rejected') throw response.reason;
    list = { ...response.value, ...accepted(response.value, before, options) };
  } catch (problem) {
    const failover = await publishFailover(before, options);
    if (!failover) throw problem;
    count('SnapshotFailover');
    return { ...failover, failover: messageOf(problem) };
  }
  const { rows, carried, unreadable, takenAt, source } = list;
  const disputes = rows.flatMap(({ disputed }) => disputed ?? []);
  const held = rows.filter((row) => row.held !== undefined);
  const corrected = rows.filter(
    ({ row }) => row.ticker.quotes.USD.figures_at !== null && row.takenAt === takenAt,
  );
  if (unreadable.length > 0) count('SnapshotRowUnreadable', unreadable.length);
  const all = [...rows.map(({ row }) => row), ...carried];
  const failure = await put({ others: all, takenAt, source }, rows, before, options);
  if (disputes.length > 0) count('TickersDisputed', disputes.length);
  if (held.length > 0) count('TickersHeld', held.length);
  if (corrected.length > 0) count('FiguresHeld', corrected.length);
  const published = all.filter(({ withheld }) => withheld === undefined);
  return {
    rows: published.length,
    carried: published.filter((row) => row.takenAt !== takenAt).length,
    unreadable: unreadable.length,
    such: unreadable.slice(0, NAMED.result).map(describeLeftOut),
    held: held.slice(0, NAMED.result).map(({ row, held: why = '' }) => `${row.ticker.id}: ${why}`),
    figuresHeld: corrected.length,
    disputed: disputes.length,
    disputes: disputes.slice(0, NAMED.result),
    failure,
  };
}

/** Throws an Error with the reason if the list is implausible after the last one or against the registry. */
function accepted(
  { data, madeAt: takenAt }: Received<TickerList>,
  last: Before,
  { labelsOf, quotes }: SnapshotOptions,
): AcceptedTickers {
  try {
    return acceptTickers(data, { takenAt, last, labelsOf, quotes });
  } catch (error) {
    if (!(error instanceof Implausible)) throw error;
    const { unreadable } = data;
    const such = unreadable.slice(0, NAMED.error).map(describeLeftOut).join('; ');
    const those = `${unreadable.length} rows are unreadable or implausible, such as ${such}`;
    throw new Error(`Not published: ${error.message}${such ? ` (${those})` : ''}`);
  }
}

/**
 * Publishes the prices of markets if two lists are missing, or the last ones had no news for half an hour, and the prices are of
 * this interval; otherwise returns undefined. The last list is kept, so that later ones are compared with it.
 */
async function publishFailover(before: Before, options: SnapshotOptions): Promise<Publication | undefined> {
  const { published, list, listBytes } = before;
  const { quotes, intervalSeconds } = options;
  const now = Date.now();
  // Half an interval of tolerance, because two runs are never exactly one interval apart.
  const limitMs = intervalSeconds * 1000 * 1.5;
  if (!published || !list || !listBytes || !quotes || published.takenAt >= now) return undefined;
  const newsAt = newsTimeOf(Array.from(list.tickers(), ({ madeAt }) => madeAt)) ?? list.takenAt;
  const isMissing = now - list.takenAt >= limitMs || now - newsAt > NO_NEWS_MS;
  if (!isMissing || now - quotes.takenAt >= limitMs) return undefined;
  const { priced, carried } = failoverOf({ list, published }, quotes, now);
  if (priced.length === 0) return undefined;
  if (list === published) await options.snapshots.keepList(listBytes);
  const rows = [...priced, ...carried];
  const sampled = priced.map(({ ticker, source }) => ({ sample: { ticker, source } }));
  const failure = await put({ others: rows, takenAt: now, source: FAILOVER }, sampled, before, options);
  const complete = { unreadable: 0, such: [], held: [], figuresHeld: 0, disputed: 0, disputes: [] };
  return { rows: rows.length, carried: carried.length, ...complete, failure };
}

type Content = Pick<SnapshotContent, 'takenAt' | 'source'> & Required<Pick<SnapshotContent, 'others'>>;

/**
 * Stores the samples before it publishes the snapshot, so that the hours in a snapshot are always made of stored samples.
 * Returns why the samples could not be stored, if so.
 */
async function put(
  { others, takenAt, source }: Content,
  sampled: readonly SampledRow[],
  { published, etag }: Before,
  { snapshots, history, intervalSeconds }: SnapshotOptions,
): Promise<unknown> {
  const run = { takenAt, intervalSeconds, source };
  const { samples, failure } = await storeSamples(sampled, run, published?.takenAt, history);
  const ids = others.flatMap(({ ticker, withheld }) => (withheld ? [] : ticker.id));
  const hours = hoursAfter(ids, published, samples, run);
  await snapshots.publish(encodeSnapshot({ others, takenAt, source, intervalSeconds, hours }), etag);
  return failure;
}
