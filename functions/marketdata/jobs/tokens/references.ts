import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { replacing } from '../../../../shared/platform/objects.ts';
import { type Bucket, jsonIn, openFrom } from '../../../../shared/platform/stored-object.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { type CoinState, heldBack, isLike, isRecent, type Offer } from './gate.ts';

interface Coin extends CoinState {
  /** The day of the last look at its history, and when its reference was fetched last; 0: never. */
  readonly lookedAt: number;
  readonly fetchedAt: number;
}

/** The provider's price of a coin, in USD; null: it has none. Undefined: no request may be made now. */
export type FetchReference = (id: string) => Promise<number | null | undefined>;

/** What a run brings: prices by coin, by rank, undefined where none counts; and what the tail has published. */
export interface Offers {
  readonly offers: ReadonlyMap<string, Offer | undefined>;
  readonly published: ReadonlyMap<string, number>;
  readonly now: number;
  readonly intervalMs: number;
}

const VERSION = 4;
const NAME = `references.v${VERSION}`;
/** Each a read of our own history; 144 runs a day look at 14,000 coins. */
const LOOKED_UP_A_RUN = 100;
const AT_A_TIME = 16;
/** A reference that refuses a price is fetched again after that. */
const FETCHED_AGAIN_MS = 7 * DAY_MS;
/** A coin that is no longer in the tail is remembered for that long: it may come back with another contract. */
const REMEMBERED_MS = 30 * DAY_MS;

const unknown: Coin = {
  reference: { price: null, at: 0 },
  accepted: undefined,
  held: undefined,
  lookedAt: 0,
  fetchedAt: 0,
};

/**
 * What is known of each coin that a source of token prices prices: the provider's own price, what was published last, and
 * what is held back. The provider's prices are the last closes in our own history that only the provider can have made,
 * looked up a few coins at a time; if there is none, the provider is asked, once for each coin, and for those whose price
 * is held back first. One request a run: two would be all that the job of the past may spend.
 */
export class References {
  readonly #coins: Map<string, Coin>;
  readonly #etag: string | undefined;
  readonly #bucket: Bucket;

  private constructor(bucket: Bucket, coins: Map<string, Coin>, etag: string | undefined) {
    [this.#bucket, this.#coins, this.#etag] = [bucket, coins, etag];
  }

  /** Begins anew if what is stored cannot be opened. */
  static async read(bucket: Bucket): Promise<References> {
    const { content, etag } = await openFrom(bucket)(NAME, coinsIn);
    return new References(bucket, content ?? new Map(), etag);
  }

  /** Looks up some of these coins, those that were longest not. Throws what the store throws. */
  async lookUp(store: Pick<HistoryStore, 'daily'>, ids: readonly string[], now: number): Promise<void> {
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    const lookedAt = (id: string) => this.#of(id).lookedAt;
    const due = ids
      .filter((id) => lookedAt(id) !== today)
      .toSorted((a, b) => lookedAt(a) - lookedAt(b))
      .slice(0, LOOKED_UP_A_RUN);
    await atMost(AT_A_TIME, due, async (id) => {
      const close = (await store.daily(id))?.candles.findLast(isOfProvider);
      const coin = { ...this.#of(id), lookedAt: today };
      // What the provider was asked for may be newer than what it has told our own history.
      const isNewer = close && (close.lastAt > coin.reference.at || coin.reference.at > now);
      const reference = isNewer ? { price: close.close, at: close.lastAt } : coin.reference;
      this.#coins.set(id, { ...coin, reference });
    });
    const current = new Set(ids);
    for (const [id, coin] of this.#coins)
      if (!current.has(id) && coin.lookedAt < now - REMEMBERED_MS) this.#coins.delete(id);
  }

  /** Fetches one reference that is missing or not recent, the most urgent. Throws what `fetchReference` throws. */
  async refresh(fetchReference: FetchReference, run: Offers): Promise<void> {
    const urgencies = [...run.offers].flatMap(([id, offer]) =>
      offer ? [{ id, urgency: this.#urgencyOf(id, offer, run) }] : [],
    );
    const [due] = urgencies.filter(({ urgency }) => urgency > 0).toSorted((a, b) => b.urgency - a.urgency);
    if (!due) return;
    const price = await fetchReference(due.id);
    if (price === undefined) return;
    const coin = this.#of(due.id);
    const reference = price === null ? coin.reference : { price, at: run.now };
    this.#coins.set(due.id, { ...coin, reference, fetchedAt: run.now });
  }

  /** The coins whose prices of a run are held back. Remembers what becomes of each price. */
  judge(run: Offers): ReadonlySet<string> {
    const heldIds = new Set<string>();
    for (const [id, offer] of run.offers) {
      const coin = this.#of(id);
      if (!offer) {
        // A run that brings no price of a coin ends the row of those that do.
        if (coin.held) this.#coins.set(id, { ...coin, held: { ...coin.held, runs: 0 } });
        continue;
      }
      const held = heldBack(offer, this.#stateOf(id, run), run);
      if (held) heldIds.add(id);
      const accepted = held ? coin.accepted : { price: offer.price, contracts: offer.contracts };
      this.#coins.set(id, { ...coin, held, accepted });
    }
    return heldIds;
  }

  /** Whether a price that was published contradicts what holds back the next one. */
  disowns(id: string, price: number): boolean {
    const { held, reference } = this.#of(id);
    return held?.refusedBy === reference.at && !isLike(reference, price);
  }

  /** Throws what the AWS SDK throws, and ConditionFailed if another run was quicker. */
  async save(): Promise<void> {
    const coins = Object.fromEntries(this.#coins);
    const text = JSON.stringify({ version: VERSION, coins });
    await this.#bucket.put(NAME, text, 'application/json', replacing(this.#etag));
  }

  #of(id: string): Coin {
    return this.#coins.get(id) ?? unknown;
  }

  /** What the tail has published counts, whatever became of this note. */
  #stateOf(id: string, { published }: Offers): CoinState {
    const { accepted, ...coin } = this.#of(id);
    const price = published.get(id) ?? accepted?.price;
    return { ...coin, accepted: price === undefined ? undefined : { price, contracts: accepted?.contracts } };
  }

  /** 0: no reference is to be fetched. A price that is held back comes first, that of a coin that had another one before all. */
  #urgencyOf(id: string, offer: Offer, run: Offers): number {
    const { reference, fetchedAt } = this.#of(id);
    const { now } = run;
    const state = this.#stateOf(id, run);
    const held = heldBack(offer, state, run);
    if (held) {
      const isDue = fetchedAt < held.since || fetchedAt > now || now - fetchedAt > FETCHED_AGAIN_MS;
      return isDue ? (state.accepted ? 3 : 2) : 0;
    }
    // Its history comes first.
    return this.#coins.has(id) && fetchedAt === 0 && !isRecent(reference, now) ? 1 : 0;
  }
}

/** A source of token prices knows neither volume nor market cap, and candles made of its prices have none. */
function isOfProvider({ volume, market_cap }: StoredCandle): boolean {
  return volume !== null || market_cap !== null;
}

function coinsIn(bytes: Uint8Array): Map<string, Coin> {
  const { version, coins } = jsonIn(bytes) as { version?: unknown; coins?: Record<string, Coin> }; // put by `save`
  if (version !== VERSION || !coins) throw new StoreError(`Version ${version} of the references`);
  return new Map(Object.entries(coins));
}
