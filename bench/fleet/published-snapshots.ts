/** The ticker snapshots of the simulation: the real job and the real reader around a bucket in memory. */
import { publishSnapshot } from '../../functions/marketdata/jobs/snapshot/publish.ts';
import type { SampleStore } from '../../functions/marketdata/jobs/snapshot/samples.ts';
import { snapshotStoreIn } from '../../functions/marketdata/jobs/snapshot/store.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { ProviderClient } from '../../shared/marketdata/provider-client.ts';
import { SnapshotCache } from '../../shared/marketdata/snapshot/cache.ts';
import { SNAPSHOT_NAME, type SnapshotReader } from '../../shared/marketdata/snapshot/store.ts';
import type { CoinQuotes } from '../../shared/marketdata/sources/source-map.ts';
import { nothingYet, type StoredObject } from '../../shared/platform/objects.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { coinId } from './workload.ts';

export const SNAPSHOT_INTERVAL_MS = 600_000;
const TIME_MS = 30_000;

export interface SnapshotsOptions {
  readonly clock: VirtualClock;
  /** The job's own. */
  readonly client: ProviderClient<'tickers' | 'ticker'>;
  readonly isStoreDown: () => boolean;
  readonly history?: SampleStore | undefined;
  /** What exchanges said of late; undefined: nobody asks them. */
  readonly quotes?: (() => Promise<CoinQuotes | undefined>) | undefined;
}

/** Whether a job runs in full at a time: up to `sparseUntil` only every so many hours. */
export function isFullRun(
  time: number,
  { from, sparseUntil }: { readonly from: number; readonly sparseUntil: number },
  everyHours = 1,
): boolean {
  return time >= sparseUntil || (time - from) % (everyHours * HOUR_MS) < SNAPSHOT_INTERVAL_MS;
}

export class PublishedSnapshots {
  readonly bucket: MemoryBucket;
  readonly #options: SnapshotsOptions;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    const { clock, isStoreDown } = options;
    this.bucket = memoryBucket(async () => {
      await clock.sleep(10);
      if (isStoreDown()) throw new Error('connect ECONNREFUSED');
    });
  }

  /**
   * Runs the job at every interval; up to `sparseUntil` in full once an hour only, and otherwise for its request alone,
   * because a list takes most of the time of the simulation.
   */
  start(from: number, end: number, sparseUntil: number): void {
    for (let time = from + 5_000; time < end; time += SNAPSHOT_INTERVAL_MS) {
      const isFull = isFullRun(time, { from, sparseUntil });
      this.#options.clock.at(time, () => void (isFull ? this.#publish() : this.#ask()));
    }
  }

  async #ask(): Promise<void> {
    const { client, clock } = this.#options;
    await client.fetch(client.provider.ticker(coinId(0)), clock.now() + TIME_MS).catch(() => undefined);
  }

  /** The reader of a new container. */
  holder(staleWaitMs: number): SnapshotCache {
    const newer: SnapshotReader['newer'] = async (etag) => {
      const object = await this.published();
      return object?.etag === etag ? undefined : object;
    };
    return new SnapshotCache({ store: { newer }, staleWaitMs, outcome: () => {} });
  }

  /** What is published. */
  published(): Promise<StoredObject | undefined> {
    return this.bucket.objects.get(SNAPSHOT_NAME, AbortSignal.timeout(TIME_MS)).catch(nothingYet);
  }

  /** As the job's handler does. */
  async #publish(): Promise<void> {
    const { client, clock, history, quotes, isStoreDown } = this.#options;
    const snapshots = snapshotStoreIn(this.bucket);
    const intervalSeconds = SNAPSHOT_INTERVAL_MS / 1000;
    try {
      const [[response], said] = await Promise.all([
        Promise.allSettled([client.fetch(client.provider.tickers(), clock.now() + TIME_MS)]),
        quotes?.(),
      ]);
      await publishSnapshot(response, { snapshots, history, quotes: said, intervalSeconds });
    } catch (error) {
      const isExpected = error instanceof ApiError || isStoreDown();
      if (!isExpected) throw error;
    }
  }
}
