/** Our own history of the simulation: the real jobs and the real reader around a bucket in memory. */
import { backfill } from '../../functions/marketdata/jobs/backfill/backfill.ts';
import { latestFrom } from '../../functions/marketdata/jobs/backfill/latest.ts';
import { type HistoryStore, historyStoreIn } from '../../functions/marketdata/jobs/history-store.ts';
import { rollUp } from '../../functions/marketdata/jobs/roll-up/roll-up.ts';
import { historyIn } from '../../shared/marketdata/store/reader.ts';
import { StoredHistory } from '../../shared/marketdata/store/stored-history.ts';
import type { HistoryClient } from '../../shared/marketdata/upstream-rows.ts';
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { priceAt } from './walk.ts';
import { coinId, LISTED, rankOf } from './workload.ts';

const RUN_MS = 100_000;
/** As `everyMinutes` of both jobs has it. */
const RUNS_EVERY_MS = 30 * 60_000;

interface OwnHistoryOptions {
  readonly clock: VirtualClock;
  /** The backfill's own. */
  readonly client: HistoryClient;
  readonly isStoreDown: () => boolean;
  /** Coins that are still traded. */
  readonly active: number;
}

export class OwnHistory {
  readonly bucket: MemoryBucket;
  readonly store: HistoryStore;
  readonly #clock: VirtualClock;
  readonly #client: HistoryClient;
  readonly #coins: readonly string[];
  /** Coins never asked for, as the last run of the backfill has told. */
  left = Number.NaN;

  constructor({ clock, client, isStoreDown, active }: OwnHistoryOptions) {
    this.#clock = clock;
    this.#client = client;
    this.#coins = Array.from({ length: active }, (_, rank) => coinId(rank));
    this.bucket = memoryBucket(async () => {
      await clock.sleep(10);
      if (isStoreDown()) throw new Error('connect ECONNREFUSED');
    });
    this.store = historyStoreIn(this.bucket);
  }

  /** Runs the roll-up and the backfill at every interval. `isServed`: whether another source has the past of a coin. */
  start(from: number, end: number, isServed: (id: string) => boolean = () => false): void {
    for (let time = from; time < end; time += RUNS_EVERY_MS) {
      this.#clock.at(time + 60_000, () => void this.#rollUp().catch(() => {}));
      this.#clock.at(time + 120_000, () => void this.#backfill(isServed).catch(() => {}));
    }
  }

  /** A new container's view. */
  reader(): StoredHistory {
    return new StoredHistory({ reader: historyIn(this.bucket.objects) });
  }

  async #rollUp(): Promise<void> {
    await rollUp(this.store, this.#clock.now(), () => {});
  }

  async #backfill(isServed: (id: string) => boolean): Promise<void> {
    const { left } = await backfill({
      store: this.store,
      ask: latestFrom(
        this.#client,
        (id) => rankOf(id) < this.#coins.length,
        async (id) => priceAt(rankOf(id), this.#clock.now()),
      ),
      wishes: await this.#client.wishes(),
      coins: this.#coins,
      isSampled: (id) => rankOf(id) < LISTED || isServed(id),
      isServed,
      deadline: this.#clock.now() + RUN_MS,
    });
    this.left = left;
  }
}
