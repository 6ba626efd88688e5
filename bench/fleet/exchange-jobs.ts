/** The jobs of the simulation that ask exchanges: the real ones, around buckets in memory. */
import { storeCandles } from '../../functions/marketdata/jobs/candles/candles.ts';
import type { ExchangeClient as CandlesClient } from '../../functions/marketdata/jobs/candles/lane.ts';
import { type HistoryStore, historyStoreIn } from '../../functions/marketdata/jobs/history-store.ts';
import type { ExchangeClient as MarketsClient } from '../../functions/marketdata/jobs/markets/exchange.ts';
import { publishMarkets } from '../../functions/marketdata/jobs/markets/handler.ts';
import { lifetimes } from '../../shared/marketdata/lifetimes.ts';
import { openSnapshot, type Snapshot } from '../../shared/marketdata/snapshot/snapshot.ts';
import { type CoinQuotes, sourcesStoreIn } from '../../shared/marketdata/sources/source-map.ts';
import { memoryBucket } from './memory-bucket.ts';
import { isFullRun, type PublishedSnapshots, SNAPSHOT_INTERVAL_MS } from './published-snapshots.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** After the interval has begun: that of the candles is started on the hour, within a minute, half of one on average. */
const AFTER_MS = { markets: 40_000, candles: 30_000 } as const;
/** In the warm-up, because a run asks for hundreds of coins. */
export const SPARSE_HOURS = 3;
/** As the handler has it. */
const MARKETS_MS = 90_000;

interface Options {
  readonly clock: VirtualClock;
  /** Of each exchange one for the job of the markets, and one for that of the candles. */
  readonly clients: {
    readonly markets: readonly MarketsClient[];
    readonly candles: readonly CandlesClient[];
  };
  readonly history: HistoryStore;
  /** Whether a coin is still traded. */
  readonly isActive: (id: string) => boolean;
}

interface Running {
  readonly from: number;
  readonly end: number;
  /** Until then the jobs run every `SPARSE_HOURS`. */
  readonly sparseUntil: number;
}

export class ExchangeJobs {
  readonly #options: Options;
  readonly #store: ReturnType<typeof sourcesStoreIn>;
  readonly #notes: HistoryStore;
  #mapped: ReadonlySet<string> = new Set();

  constructor(options: Options) {
    this.#options = options;
    const bucket = () => memoryBucket(() => options.clock.sleep(10));
    this.#store = sourcesStoreIn(bucket());
    this.#notes = historyStoreIn(bucket());
  }

  /** Coins that have a market, as the last run has found. */
  get mapped(): ReadonlySet<string> {
    return this.#mapped;
  }

  start(snapshots: PublishedSnapshots, { from, end, sparseUntil }: Running): void {
    const { clock } = this.#options;
    for (let time = from; time < end; time += SNAPSHOT_INTERVAL_MS) {
      if (!isFullRun(time, { from, sparseUntil }, SPARSE_HOURS)) continue;
      clock.at(time + AFTER_MS.markets, () => void this.#publishMarkets(snapshots).catch(tell));
      clock.at(time + AFTER_MS.candles, () => void this.#storeCandles(snapshots).catch(tell));
    }
  }

  /** What exchanges said of late, as the job of the snapshot takes it. */
  async quotes(): Promise<CoinQuotes | undefined> {
    const { content: quotes } = await this.#store.quotes();
    const ageMs = this.#options.clock.now() - (quotes?.takenAt ?? 0);
    return ageMs <= lifetimes.snapshot.intervals * SNAPSHOT_INTERVAL_MS ? quotes : undefined;
  }

  async #publishMarkets(snapshots: PublishedSnapshots): Promise<void> {
    const { clock, clients, isActive } = this.#options;
    await publishMarkets({
      store: this.#store,
      exchanges: clients.markets,
      snapshot: () => snapshotIn(snapshots),
      isActive,
      deadline: clock.now() + MARKETS_MS,
    });
  }

  async #storeCandles(snapshots: PublishedSnapshots): Promise<void> {
    const { clock, clients, history } = this.#options;
    const startedAt = clock.now();
    const [{ content: map }, snapshot] = await Promise.all([this.#store.map(), snapshotIn(snapshots)]);
    if (!map) return;
    this.#mapped = new Set(map.coins.keys());
    await storeCandles({
      store: history,
      notes: this.#notes,
      map,
      clients: clients.candles,
      snapshot,
      startedAt,
    });
  }
}

async function snapshotIn(snapshots: PublishedSnapshots): Promise<Snapshot | undefined> {
  const object = await snapshots.published();
  return object && openSnapshot(object.bytes);
}

/** A run that fails is made up for by the next one; whoever looks at the figures should know. */
export function tell(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
