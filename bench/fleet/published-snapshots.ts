/** The ticker snapshots of the simulation: the real job and the real reader around an object in memory. */
import { publishSnapshot } from '../../functions/marketdata/jobs/snapshot/publish.ts';
import type { SampleStore } from '../../functions/marketdata/jobs/snapshot/samples.ts';
import type { SnapshotStore } from '../../functions/marketdata/jobs/snapshot/store.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { ProviderClient } from '../../shared/marketdata/provider.ts';
import { SnapshotCache } from '../../shared/marketdata/snapshot/cache.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { coinId } from './workload.ts';

export const SNAPSHOT_INTERVAL_MS = 600_000;
const TIME_MS = 30_000;
const HOUR_MS = 3_600_000;

export class PublishedSnapshots {
  readonly #clock: VirtualClock;
  readonly #client: ProviderClient<'tickers' | 'ticker'>;
  readonly #isStoreDown: () => boolean;
  readonly #history: SampleStore | undefined;
  #object: { readonly bytes: Uint8Array; readonly etag: string } | undefined;

  /** `client` is the job's own. */
  constructor(
    clock: VirtualClock,
    client: ProviderClient<'tickers' | 'ticker'>,
    isStoreDown: () => boolean,
    history?: SampleStore,
  ) {
    this.#clock = clock;
    this.#client = client;
    this.#isStoreDown = isStoreDown;
    this.#history = history;
  }

  /**
   * Runs the job at every interval; up to `sparseUntil` in full once an hour only, and otherwise for its request alone,
   * because a list takes most of the time of the simulation.
   */
  start(from: number, end: number, sparseUntil: number): void {
    for (let time = from + 5_000; time < end; time += SNAPSHOT_INTERVAL_MS) {
      const isFull = time >= sparseUntil || (time - from) % HOUR_MS < SNAPSHOT_INTERVAL_MS;
      this.#clock.at(time, () => void (isFull ? this.#publish() : this.#ask()));
    }
  }

  async #ask(): Promise<void> {
    const { ticker } = this.#client.provider;
    await this.#client.fetch(ticker(coinId(0)), this.#clock.now() + TIME_MS).catch(() => undefined);
  }

  /** The reader of a new container. */
  holder(staleWaitMs: number): SnapshotCache {
    return new SnapshotCache({ store: this.#store, staleWaitMs, outcome: () => {} });
  }

  readonly #store: Pick<SnapshotStore, 'newer' | 'published' | 'publish'> = {
    newer: async (etag) => {
      await this.#reach();
      return this.#object?.etag === etag ? undefined : this.#object;
    },
    published: async () => {
      await this.#reach();
      return this.#object;
    },
    publish: async (bytes, etag) => {
      await this.#reach();
      if (this.#object?.etag !== etag) throw new Error('another one was published meanwhile');
      this.#object = { bytes, etag: String(this.#clock.now()) };
    },
  };

  async #reach(): Promise<void> {
    await this.#clock.sleep(10);
    if (this.#isStoreDown()) throw new Error('connect ECONNREFUSED');
  }

  async #publish(): Promise<void> {
    try {
      const answer = await this.#client.fetch(this.#client.provider.tickers(), this.#clock.now() + TIME_MS);
      const stores = { snapshot: this.#store, history: this.#history };
      await publishSnapshot(answer, SNAPSHOT_INTERVAL_MS / 1000, stores);
    } catch (error) {
      const isExpected = error instanceof ApiError || this.#isStoreDown();
      if (!isExpected) throw error;
    }
  }
}
