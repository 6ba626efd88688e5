import type { Environment } from '../../platform/environment.ts';
import { Held, REST_MS } from '../../platform/held.ts';
import { count } from '../../platform/metrics.ts';
import { type Objects, objectsOf } from '../../platform/objects.ts';
import { MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import { answersUntil, format, openSnapshot, type Snapshot, SnapshotError } from './snapshot.ts';

export const SNAPSHOT_PREFIX = 'snapshot/';
export const SNAPSHOT_NAME = `tickers.v${format.version}`;

interface Options {
  readonly objects: Pick<Objects, 'getNewer'>;
  /** How long a request waits for a newer one if the held one is outdated. */
  readonly staleWaitMs: number;
  readonly outcome: (outcome: 'SnapshotRefreshed' | 'SnapshotRefreshFailed') => void;
  readonly now?: () => number;
}

/** A snapshot with the ETag of the object that was read last, which may be an older one. */
interface Published {
  readonly snapshot: Snapshot;
  readonly etag: string | undefined;
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
export class SnapshotCache {
  readonly #options: Required<Options>;
  readonly #held: Held<Published>;

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
    const { now, outcome } = this.#options;
    this.#held = new Held({
      readMs: READ_MS,
      rests: () => true,
      onFailure: () => outcome('SnapshotRefreshFailed'),
      now,
    });
  }

  /** The newest snapshot available within a bounded time; undefined if there never was one. */
  async current(): Promise<Snapshot | undefined> {
    const { staleWaitMs, now } = this.#options;
    const snapshot = this.#held.peek(SNAPSHOT_NAME)?.snapshot;
    const isOutdated = snapshot !== undefined && now() >= answersUntil(snapshot);
    const published = this.#held.get(SNAPSHOT_NAME, {
      read: (signal, held) => this.#read(signal, held),
      untilOf: (held, at) => nextLook(held.snapshot, at),
      waitMs: isOutdated ? staleWaitMs : WAIT_MS,
    });
    return published.then(
      (held) => held.snapshot,
      () => undefined,
    );
  }

  async #read(signal: AbortSignal, held: Published | undefined): Promise<Published> {
    const { objects, outcome, now } = this.#options;
    const limits = { answerWithinMs: ANSWER_WITHIN_MS, signal };
    const object = await objects.getNewer(SNAPSHOT_NAME, held?.etag, limits);
    if (!object) {
      if (held) return held;
      throw new SnapshotError('Ticker snapshot: not changed, although none is held');
    }
    const newer = openSnapshot(object.bytes);
    // One from the future comes from a wrong clock.
    if (newer.takenAt > now() + MAX_CLOCK_LEAD_MS)
      throw new SnapshotError('Ticker snapshot: from the future');
    outcome('SnapshotRefreshed');
    const isOlder = held !== undefined && newer.takenAt < held.snapshot.takenAt;
    return { snapshot: isOlder ? held.snapshot : newer, etag: object.etag };
  }
}

function nextLook(snapshot: Snapshot, now: number): number {
  // Prices from markets are published only when this snapshot is outdated.
  if (now >= answersUntil(snapshot)) return now + REST_MS;
  const { takenAt, intervalMs } = snapshot;
  return Math.max(takenAt + intervalMs + PUBLISHED_AFTER_MS, now + intervalMs / 10);
}

let container: SnapshotCache | undefined;

/** This container's snapshot; undefined without a bucket, or while none is available. */
export async function currentSnapshot(environment: Environment): Promise<Snapshot | undefined> {
  if (!environment.SNAPSHOT_BUCKET) return undefined;
  container ??= new SnapshotCache({
    objects: objectsOf(environment.SNAPSHOT_BUCKET, SNAPSHOT_PREFIX),
    staleWaitMs: Number(environment.STALE_WAIT_MS),
    outcome: (outcome) => {
      count(outcome);
      if (outcome === 'SnapshotRefreshFailed') count('SharedStoreFailures');
    },
  });
  return container.current();
}
