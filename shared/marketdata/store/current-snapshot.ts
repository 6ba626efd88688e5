import type { Environment } from '../../platform/environment.ts';
import { REST_MS } from '../../platform/held.ts';
import { holdObject } from '../../platform/held-object.ts';
import { count } from '../../platform/metrics.ts';
import { type Objects, objectsOf } from '../../platform/objects.ts';
import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import { quotedSnapshot } from './quoted-snapshot.ts';
import { openQuotes, QUOTES_NAME, type Quotes } from './quotes.ts';
import { answersUntil, format, openSnapshot, type Snapshot } from './snapshot.ts';

export const SNAPSHOT_PREFIX = 'snapshot/';
export const SNAPSHOT_NAME = `tickers.v${format.version}`;

interface Options {
  readonly objects: Pick<Objects, 'getNewer'>;
  /** How long a request waits for a newer one if the held one is outdated. */
  readonly staleWaitMs: number;
  readonly outcome: (outcome: 'SnapshotRefreshed' | 'SnapshotRefreshFailed') => void;
  readonly now?: () => number;
}

/** The time limit until S3 begins to respond on an open connection. */
const ANSWER_WITHIN_MS = 200;
/** The time limit of a download: 10 MB take a while, and no request with older data waits for all of it. */
const READ_MS = 2_000;
const WAIT_MS = 50;
/** How soon missing quotes are looked for again. */
const NONE_MS = 60_000;
/** The job's duration after its scheduled start, so that one look an interval finds the newer one. */
const PUBLISHED_AFTER_MS = 15_000;

/**
 * This container's ticker snapshot. Looks for a newer one when it is due: one request an interval, ten more while it is late, and
 * one every ten seconds once the held one is outdated. A request that has data anyway waits 50 ms.
 */
export function snapshotCache({ objects, staleWaitMs, outcome, now = Date.now }: Options) {
  const held = holdObject<Snapshot>({
    ...{ name: SNAPSHOT_NAME, untilOf: nextLook, readMs: READ_MS, answerWithinMs: ANSWER_WITHIN_MS, now },
    open(bytes, older) {
      const newer = openSnapshot(bytes);
      outcome('SnapshotRefreshed');
      return laterOf(older, newer, now());
    },
    outlivesObject: true,
    onFailure: () => outcome('SnapshotRefreshFailed'),
  });

  /** The newest snapshot available within a bounded time; undefined if there never was one. */
  return async (): Promise<Snapshot | undefined> => {
    const snapshot = held.content();
    const isOutdated = snapshot !== undefined && now() >= answersUntil(snapshot);
    return held.read(objects, isOutdated ? staleWaitMs : WAIT_MS);
  };
}

/** A wrong clock made one that is from the future. */
function laterOf<T extends { readonly takenAt: number }>(older: T | undefined, newer: T, now: number): T {
  return older && newer.takenAt < older.takenAt && older.takenAt <= now + MAX_CLOCK_LEAD_MS ? older : newer;
}

/**
 * The prices of markets in this container. A newer one is looked for when it is due, and every ten seconds while it is late. While the
 * held ones count a request waits 50 ms, otherwise as long as for a snapshot.
 */
export function quotesCache({ objects, staleWaitMs, now = Date.now }: Omit<Options, 'outcome'>) {
  const held = holdObject<Quotes>({
    ...{ name: QUOTES_NAME, readMs: READ_MS, answerWithinMs: ANSWER_WITHIN_MS, now, outlivesObject: true },
    open: (bytes, older) => laterOf(older, openQuotes(bytes), now()),
    untilOf(quotes, at) {
      if (!quotes) return at + NONE_MS;
      const { takenAt, nextAt } = quotes;
      return Math.max(Math.min(nextAt, at + nextAt - takenAt), at + REST_MS);
    },
  });
  return async (): Promise<Quotes | undefined> => {
    const quotes = held.content();
    const counts = quotes === undefined || now() < quotes.takenAt + quotes.countMs;
    return held.read(objects, counts ? WAIT_MS : staleWaitMs);
  };
}

function nextLook(snapshot: Snapshot | undefined, now: number): number {
  // Prices from markets are published only when this snapshot is outdated.
  if (!snapshot || now >= answersUntil(snapshot)) return now + REST_MS;
  const { takenAt, intervalMs } = snapshot;
  const dueAt = takenAt + intervalMs + PUBLISHED_AFTER_MS;
  return Math.min(Math.max(dueAt, now + intervalMs / 10), now + intervalMs + PUBLISHED_AFTER_MS);
}

interface Caches {
  readonly snapshot: ReturnType<typeof snapshotCache>;
  readonly quotes: ReturnType<typeof quotesCache>;
}

let caches: Caches | undefined;
let last: { readonly of: Snapshot; readonly with: Quotes; readonly quoted: Snapshot } | undefined;

/**
 * This container's snapshot, with the prices of markets since; undefined without a bucket, or while none is available. The same object
 * until either is renewed.
 */
export async function currentSnapshot(environment: Environment): Promise<Snapshot | undefined> {
  if (!environment.SNAPSHOT_BUCKET) return undefined;
  caches ??= cachesOf(environment.SNAPSHOT_BUCKET, Number(environment.STALE_WAIT_MS));
  const [snapshot, quotes] = await Promise.all([caches.snapshot(), caches.quotes()]);
  if (!snapshot || !quotes) return snapshot;
  if (last?.of !== snapshot || last.with !== quotes)
    last = { of: snapshot, with: quotes, quoted: quotedSnapshot(snapshot, quotes) };
  return last.quoted;
}

function cachesOf(bucket: string, staleWaitMs: number): Caches {
  const objects = objectsOf(bucket, SNAPSHOT_PREFIX);
  return {
    snapshot: snapshotCache({ objects, staleWaitMs, outcome: count }),
    quotes: quotesCache({ objects, staleWaitMs }),
  };
}
