import { BackgroundTask } from '../../platform/background-task.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import type { SnapshotStore } from './store.ts';

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

/** From when on a snapshot is no answer any more: the next one is missing for a whole interval. */
export function outdatedFrom({ takenAt, intervalMs }: Snapshot): number {
  return takenAt + 2 * intervalMs;
}

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
    return this.#now() < outdatedFrom(this.#held.snapshot) ? WAIT_MS : this.#options.staleWaitMs;
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
