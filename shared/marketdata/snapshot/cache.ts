import { BackgroundTask } from '../../platform/background-task.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { answersUntil, openSnapshot, type Snapshot } from './snapshot.ts';
import { type SnapshotStore, snapshotStore } from './store.ts';

export type SnapshotOutcome = 'SnapshotRefreshed' | 'SnapshotRefreshFailed';

interface Options {
  readonly store: Pick<SnapshotStore, 'newer'>;
  /** How long a request waits for a newer one where the one it has is outdated. */
  readonly staleWaitMs: number;
  readonly outcome: (outcome: SnapshotOutcome) => void;
  readonly now?: () => number;
}

/** The first request loads the SDK and makes a connection; both are slow on the share of a processor that Lambda gives. */
const FIRST_TIMEOUT_MS = 1000;
/** Until S3 begins to answer. */
const TIMEOUT_MS = 200;
/** Until it has answered: 10 MB take their time, and no request waits for all of it. */
const WHOLE_TIMEOUT_MS = 2000;
const WAIT_MS = 50;
/** The job's own run after its schedule, so that a single look in each interval finds the newer one. */
const PUBLISHED_AFTER_MS = 15_000;
const RETRY_AFTER_MS = 10_000;

/**
 * This container's ticker snapshot. Looks for a newer one when that should have been published: one request for each
 * interval, and ten more while the newer one is late. A request waits for it 50 ms where it has an answer anyway.
 */
export class SnapshotCache {
  readonly #options: Options;
  readonly #now: () => number;
  readonly #task: BackgroundTask;
  #held: { readonly snapshot: Snapshot; readonly etag: string | undefined } | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookAgainAt = Number.NEGATIVE_INFINITY;
  #timeoutMs = FIRST_TIMEOUT_MS;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#task = new BackgroundTask({
      run: (signal) => this.#look(signal),
      abandonAfterMs: 2 * WHOLE_TIMEOUT_MS,
      now: this.#now,
    });
  }

  /** The newest that can be had within a bounded time; undefined where there never was one. */
  async current(): Promise<Snapshot | undefined> {
    const patienceMs = this.#patienceMs();
    // A clock that was set back must not postpone the next look.
    this.#task.begin((now) => now >= this.#lookAgainAt || now < this.#lookedAt);
    await this.#task.wait(patienceMs);
    return this.#held?.snapshot;
  }

  #patienceMs(): number {
    if (!this.#held) return this.#timeoutMs;
    return this.#now() < answersUntil(this.#held.snapshot) ? WAIT_MS : this.#options.staleWaitMs;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const answerWithinMs = this.#timeoutMs;
    this.#timeoutMs = TIMEOUT_MS;
    this.#lookedAt = this.#now();
    try {
      const newer = await this.#options.store.newer(this.#held?.etag, {
        answerWithinMs,
        signal: AbortSignal.any([signal, AbortSignal.timeout(WHOLE_TIMEOUT_MS)]),
      });
      if (signal.aborted) return;
      if (newer) {
        this.#held = { snapshot: openSnapshot(newer.bytes), etag: newer.etag };
        this.#options.outcome('SnapshotRefreshed');
      }
      this.#lookAgainAt = this.#nextLook();
    } catch {
      if (signal.aborted) return;
      this.#lookAgainAt = this.#now() + RETRY_AFTER_MS;
      this.#options.outcome('SnapshotRefreshFailed');
    }
  }

  #nextLook(): number {
    if (!this.#held) return this.#now() + RETRY_AFTER_MS;
    const { takenAt, intervalMs } = this.#held.snapshot;
    return Math.max(takenAt + intervalMs + PUBLISHED_AFTER_MS, this.#now() + intervalMs / 10);
  }
}

let container: SnapshotCache | undefined;

/** This container's snapshot; undefined without a bucket, and while none can be had. */
export async function currentSnapshot({
  SNAPSHOT_BUCKET: bucket,
  STALE_WAIT_MS,
}: Environment): Promise<Snapshot | undefined> {
  if (!bucket) return undefined;
  container ??= new SnapshotCache({
    store: snapshotStore(bucket),
    staleWaitMs: Number(STALE_WAIT_MS),
    outcome: (outcome) => {
      count(outcome);
      if (outcome === 'SnapshotRefreshFailed') count('SharedStoreFailures');
    },
  });
  return container.current();
}
