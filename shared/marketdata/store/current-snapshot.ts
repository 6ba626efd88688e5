import type { Environment } from '../../platform/environment.ts';
import { REST_MS } from '../../platform/held.ts';
import { holdObject } from '../../platform/held-object.ts';
import { count } from '../../platform/metrics.ts';
import { type Objects, objectsOf } from '../../platform/objects.ts';
import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
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
      // A wrong clock made one that is from the future.
      const isKept = older && newer.takenAt < older.takenAt && older.takenAt <= now() + MAX_CLOCK_LEAD_MS;
      return isKept ? older : newer;
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

function nextLook(snapshot: Snapshot | undefined, now: number): number {
  // Prices from markets are published only when this snapshot is outdated.
  if (!snapshot || now >= answersUntil(snapshot)) return now + REST_MS;
  const { takenAt, intervalMs } = snapshot;
  const dueAt = takenAt + intervalMs + PUBLISHED_AFTER_MS;
  return Math.min(Math.max(dueAt, now + intervalMs / 10), now + intervalMs + PUBLISHED_AFTER_MS);
}

let container: ReturnType<typeof snapshotCache> | undefined;

/** This container's snapshot; undefined without a bucket, or while none is available. */
export async function currentSnapshot(environment: Environment): Promise<Snapshot | undefined> {
  if (!environment.SNAPSHOT_BUCKET) return undefined;
  container ??= snapshotCache({
    objects: objectsOf(environment.SNAPSHOT_BUCKET, SNAPSHOT_PREFIX),
    staleWaitMs: Number(environment.STALE_WAIT_MS),
    outcome: count,
  });
  return container();
}
