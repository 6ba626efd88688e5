import { BackgroundTask } from '../../platform/background-task.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { type Objects, objectsOf } from '../../platform/objects.ts';
import { MAX_CLOCK_LEAD_MS } from '../gate/implausible.ts';
import { answersUntil, format, openSnapshot, type Snapshot, SnapshotError } from './snapshot.ts';

export const SNAPSHOT_PREFIX = 'snapshot/';
export const SNAPSHOT_NAME = `tickers.v${format.version}`;

interface Options {
  readonly objects: Pick<Objects, 'getNewer'>;
  /** Limits for fetching a newer one, if the held one is outdated. */
  readonly staleWaitMs: number;
  readonly outcome: (outcome: 'SnapshotRefreshed' | 'SnapshotRefreshFailed') => void;
  readonly now?: () => number;
}

/** The first request loads the signer and connects; both are slow on Lambda's share of a processor. */
const FIRST_TIMEOUT_MS = 1000;
/** Until S3 begins to respond. */
const TIMEOUT_MS = 200;
/** Until the download ends: 10 MB take a while, and no request waits for all of it. */
const WHOLE_TIMEOUT_MS = 2000;
const WAIT_MS = 50;
/** The job's duration after its scheduled start, so that one look an interval finds the newer one. */
const PUBLISHED_AFTER_MS = 15_000;
const RETRY_AFTER_MS = 10_000;

/**
 * This container's ticker snapshot. Looks for a newer one when it is due: one request an interval, ten more while it is late, and
 * one every ten seconds once the held one is outdated. A request that has data anyway waits 50 ms, unless the previous look was
 * frozen with the container.
 */
export class SnapshotCache {
  readonly #options: Required<Options>;
  readonly #task: BackgroundTask;
  #held: { readonly snapshot: Snapshot; readonly etag: string | undefined } | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookAgainAt = Number.NEGATIVE_INFINITY;
  #timeoutMs = FIRST_TIMEOUT_MS;

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
    const { now } = this.#options;
    const run = (signal: AbortSignal) => this.#look(signal);
    this.#task = new BackgroundTask({
      run,
      runMs: WHOLE_TIMEOUT_MS,
      abandonAfterMs: 2 * WHOLE_TIMEOUT_MS,
      now,
    });
  }

  /** The newest snapshot available within a bounded time; undefined if there never was one. */
  async current(): Promise<Snapshot | undefined> {
    const patienceMs = this.#patienceMs();
    // A clock that was set back must not postpone the next look.
    this.#task.begin((now) => now >= this.#lookAgainAt || now < this.#lookedAt);
    await this.#task.wait(patienceMs);
    return this.#held?.snapshot;
  }

  #patienceMs(): number {
    if (!this.#held) return this.#timeoutMs;
    return this.#options.now() < answersUntil(this.#held.snapshot) ? WAIT_MS : this.#options.staleWaitMs;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { objects, outcome, now } = this.#options;
    const answerWithinMs = this.#timeoutMs;
    this.#timeoutMs = TIMEOUT_MS;
    this.#lookedAt = now();
    try {
      const newer = await objects.getNewer(SNAPSHOT_NAME, this.#held?.etag, {
        answerWithinMs,
        signal: AbortSignal.any([signal, AbortSignal.timeout(WHOLE_TIMEOUT_MS)]),
      });
      if (signal.aborted) return;
      if (newer) this.#take(openSnapshot(newer.bytes), newer.etag);
      this.#lookAgainAt = this.#nextLook();
    } catch {
      if (signal.aborted) return;
      this.#lookAgainAt = now() + RETRY_AFTER_MS;
      outcome('SnapshotRefreshFailed');
    }
  }

  /** Never goes back in time; a snapshot from the future comes from a wrong clock. */
  #take(newer: Snapshot, etag: string | undefined): void {
    const { outcome, now } = this.#options;
    if (newer.takenAt > now() + MAX_CLOCK_LEAD_MS)
      throw new SnapshotError('Ticker snapshot: from the future');
    const held = this.#held?.snapshot;
    const isOlder = held !== undefined && newer.takenAt < held.takenAt;
    this.#held = { snapshot: isOlder ? held : newer, etag };
    outcome('SnapshotRefreshed');
  }

  #nextLook(): number {
    const now = this.#options.now();
    if (!this.#held) return now + RETRY_AFTER_MS;
    const { takenAt, intervalMs } = this.#held.snapshot;
    // Prices from markets are published only when this snapshot is outdated.
    if (now >= answersUntil(this.#held.snapshot)) return now + RETRY_AFTER_MS;
    return Math.max(takenAt + intervalMs + PUBLISHED_AFTER_MS, now + intervalMs / 10);
  }
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
