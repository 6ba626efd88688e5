/** The jobs of the simulation that know tokens: the real ones, around buckets in memory. */
import {
  listContracts,
  readContracts,
  tokensByCoin,
} from '../../functions/marketdata/jobs/contracts/contracts.ts';
import type { HistoryStore } from '../../functions/marketdata/jobs/history-store.ts';
import { type CoinTokens, publishTail } from '../../functions/marketdata/jobs/tokens/publish-tail.ts';
import { References } from '../../functions/marketdata/jobs/tokens/references.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { ProviderClient } from '../../shared/marketdata/provider-client.ts';
import { openSnapshot } from '../../shared/marketdata/snapshot/snapshot.ts';
import { TailReader } from '../../shared/marketdata/tail/tail.ts';
import { openTail, TAIL_NAME } from '../../shared/marketdata/tail/tail-file.ts';
import { openFrom } from '../../shared/platform/open-object.ts';
import type { TokenOffers } from '../../shared/providers/token-sources.ts';
import { SPARSE_HOURS, tell } from './exchange-jobs.ts';
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts';
import { isFullRun, type PublishedSnapshots, SNAPSHOT_INTERVAL_MS } from './published-snapshots.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { coinId } from './workload.ts';

const AFTER_MS = { contracts: 20_000, tokens: 90_000 } as const;
/** As the handler has them. */
const TIME_MS = { prices: 90_000, all: 108_000, provider: 5_000 } as const;
const WEEK_MS = 7 * 86_400_000;

interface Options {
  readonly clock: VirtualClock;
  readonly source: ProviderClient<TokenOffers>;
  /** CoinPaprika, of what is kept for scheduled work, and of what is for the backfill. */
  readonly contracts: ProviderClient<'platforms' | 'contracts'>;
  readonly provider: ProviderClient<'ticker'>;
  readonly history: HistoryStore;
  /** Coins that are still traded. */
  readonly active: number;
}

interface Running {
  readonly from: number;
  readonly end: number;
  /** Until then prices are asked for every `SPARSE_HOURS`. */
  readonly sparseUntil: number;
}

export class TokenJobs {
  readonly #options: Options;
  readonly #bucket: MemoryBucket;
  #coins: readonly CoinTokens[] = [];
  #priced: ReadonlySet<string> = new Set();

  constructor(options: Options) {
    this.#options = options;
    this.#bucket = memoryBucket(() => options.clock.sleep(10));
  }

  /** Coins of the tail. */
  get priced(): ReadonlySet<string> {
    return this.#priced;
  }

  /** A new container's view of the tail. */
  reader(): TailReader {
    return new TailReader({ objects: this.#bucket.objects });
  }

  start(snapshots: PublishedSnapshots, { from, end, sparseUntil }: Running): void {
    const { clock } = this.#options;
    for (let time = from; time < end; time += WEEK_MS)
      clock.at(time + AFTER_MS.contracts, () => void this.#listContracts(snapshots).catch(tell));
    for (let time = from; time < end; time += SNAPSHOT_INTERVAL_MS) {
      const run = isFullRun(time, { from, sparseUntil }, SPARSE_HOURS)
        ? () => this.#publish()
        : () => this.#lookUp();
      clock.at(time + AFTER_MS.tokens, () => void run().catch(tell));
    }
  }

  async #listContracts(snapshots: PublishedSnapshots): Promise<void> {
    const { contracts, active } = this.#options;
    await listContracts(contracts, this.#bucket);
    const object = await snapshots.published();
    const listed = object && openSnapshot(object.bytes);
    const tokens = tokensByCoin((await readContracts(this.#bucket)).content ?? new Map());
    this.#coins = Array.from({ length: active }, (_, rank) => coinId(rank)).flatMap((id) => {
      const ofCoin = tokens.get(id);
      return ofCoin && listed?.ticker(id) === undefined ? [{ id, tokens: ofCoin }] : [];
    });
  }

  async #publish(): Promise<void> {
    const { clock, source, history } = this.#options;
    if (this.#coins.length === 0) return;
    const now = clock.now();
    await publishTail({
      client: source,
      bucket: this.#bucket,
      history,
      references: await References.read(this.#bucket),
      fetchReference: (id) => this.#providersPrice(id),
      coins: this.#coins,
      intervalSeconds: SNAPSHOT_INTERVAL_MS / 1000,
      pricesUntil: now + TIME_MS.prices,
      deadline: now + TIME_MS.all,
    });
    const { content: tail } = await openFrom(this.#bucket)(TAIL_NAME, openTail);
    this.#priced = new Set(tail?.rows.map(({ id }) => id));
  }

  /** As much of a run as costs requests of the provider's. */
  async #lookUp(): Promise<void> {
    const references = await References.read(this.#bucket);
    const ids = this.#coins.map(({ id }) => id);
    const now = this.#options.clock.now();
    await references.lookUp(this.#options.history, ids, now);
    const priced = ids.filter((id) => this.#priced.has(id));
    await references.refresh((id) => this.#providersPrice(id), {
      offers: new Map(priced.map((id) => [id, { price: 1, contracts: '' }])),
      published: new Map(priced.map((id) => [id, 1])),
      now,
      intervalMs: SNAPSHOT_INTERVAL_MS,
    });
    await references.save();
  }

  async #providersPrice(id: string): Promise<number | null | undefined> {
    const { provider, clock } = this.#options;
    try {
      const { data } = await provider.fetch(provider.provider.ticker(id), clock.now() + TIME_MS.provider);
      return data.quotes.USD.price;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.statusCode === 404 ? null : undefined;
    }
  }
}
