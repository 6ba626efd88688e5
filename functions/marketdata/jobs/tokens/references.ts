import { StoreError } from '../../../../shared/marketdata/binary-file.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { replacing } from '../../../../shared/platform/objects.ts';
import { type Bucket, jsonIn, openFrom } from '../../../../shared/platform/stored-object.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import { atMost } from '../../../../shared/platform/waiting.ts';
import type { HistoryStore } from '../history-store.ts';
import { type CoinState, heldBack, isLike, isRecent, type Offer, type Reference } from './gate.ts';

interface Coin extends CoinState {
  /** When its history was last looked up, and when its reference was last fetched; 0: never. */
  readonly lookedAt: number;
  readonly fetchedAt: number;
}

/** A coin's price from the provider; null if it has none of these days; undefined if no request may be made now. */
export type FetchReference = (id: string) => Promise<Reference | null | undefined>;

/** A run's data: prices by coin, by rank, undefined without an accepted price; and the published tail. */
export interface Offers {
  readonly offers: ReadonlyMap<string, Offer | undefined>;
  readonly published: ReadonlyMap<string, number>;
  readonly now: number;
  readonly intervalMs: number;
}

const VERSION = 4;
const NAME = `references.v${VERSION}`;
/** Each reads our own history; 144 runs a day cover 14,000 coins. */
const LOOKED_UP_A_RUN = 100;
const AT_A_TIME = 16;
/** A reference that refuses a price is fetched again after this time. */
const FETCHED_AGAIN_MS = 7 * DAY_MS;
/** A coin that left the tail is remembered this long: it may return with another contract. */
const REMEMBERED_MS = 30 * DAY_MS;

const unknown: Coin = {
  reference: { price: null, at: 0 },
  accepted: undefined,
  held: undefined,
  lookedAt: 0,
  fetchedAt: 0,
};

/**
 * The state of each coin with a token price: the provider's own price, the last published price, and the price that is held
 * back. The provider's price is the last close in our own history that only the provider can have made; a few coins are looked
 * up in each run. If there is none, it is fetched from the provider once a coin, first for coins whose price is held back. A
 * run makes one request: two would use up all that the job of the past may spend.
 */
export class References {
  readonly #coins: Map<string, Coin>;
  readonly #etag: string | undefined;
  readonly #bucket: Bucket;

  private constructor(bucket: Bucket, coins: Map<string, Coin>, etag: string | undefined) {
    this.#bucket = bucket;
    this.#coins = coins;
    this.#etag = etag;
  }

  /** Starts anew if the stored state cannot be opened. */
  static async read(bucket: Bucket): Promise<References> {
    const { content, etag } = await openFrom(bucket)(NAME, coinsIn);
    return new References(bucket, content ?? new Map(), etag);
  }

  /** Looks up some of these coins, longest ago first. Throws what the store throws. */
  async lookUp(store: Pick<HistoryStore, 'daily'>, ids: readonly string[], now: number): Promise<void> {
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    const lookedAt = (id: string) => this.#of(id).lookedAt;
    const due = ids
      .filter((id) => lookedAt(id) !== today)
      .toSorted((a, b) => lookedAt(a) - lookedAt(b))
      .slice(0, LOOKED_UP_A_RUN);
    await atMost(AT_A_TIME, due, async (id) => {
      const close = (await store.daily(id)).candles.findLast(isOfProvider);
      const coin = { ...this.#of(id), lookedAt: today };
      // A fetched reference may be newer than the one in our own history.
      const isNewer = close && (close.lastAt > coin.reference.at || coin.reference.at > now);
      const reference = isNewer ? { price: close.close, at: close.lastAt } : coin.reference;
      this.#coins.set(id, { ...coin, reference });
    });
    const current = new Set(ids);
    for (const [id, coin] of this.#coins)
      if (!current.has(id) && coin.lookedAt < now - REMEMBERED_MS) this.#coins.delete(id);
  }

  /** Fetches the most urgent reference that is missing or not recent. Throws what `fetchReference` throws. */
  async refresh(fetchReference: FetchReference, run: Offers): Promise<void> {
    const urgencies = [...run.offers].flatMap(([id, offer]) =>
      offer ? [{ id, urgency: this.#urgencyOf(id, offer, run) }] : [],
    );
    const [due] = urgencies.filter(({ urgency }) => urgency > 0).toSorted((a, b) => b.urgency - a.urgency);
    if (!due) return;
    const fetched = await fetchReference(due.id);
    if (fetched === undefined) return;
    const coin = this.#of(due.id);
    const isNewer = fetched && (fetched.at > coin.reference.at || coin.reference.at > run.now);
    const reference = isNewer ? fetched : coin.reference;
    this.#coins.set(due.id, { ...coin, reference, fetchedAt: run.now });
  }

  /** The coins whose prices are held back in a run. Records the outcome of each price. */
  judge(run: Offers): ReadonlySet<string> {
    const heldIds = new Set<string>();
    for (const [id, offer] of run.offers) {
      const coin = this.#of(id);
      if (!offer) {
        // A run without the coin's price interrupts the count.
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

  /** Whether a published price contradicts the one that holds back the next. */
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

  /** The published tail counts, whatever became of this note. */
  #stateOf(id: string, { published }: Offers): CoinState {
    const { accepted, ...coin } = this.#of(id);
    const price = published.get(id) ?? accepted?.price;
    return { ...coin, accepted: price === undefined ? undefined : { price, contracts: accepted?.contracts } };
  }

  /** 0: no reference is needed. Held-back prices come first, among them coins that had another price before. */
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

/** Token prices come without volume and market cap, so candles made of them have none. */
function isOfProvider({ volume, market_cap }: StoredCandle): boolean {
  return volume !== null || market_cap !== null;
}

function coinsIn(bytes: Uint8Array): Map<string, Coin> {
  const { version, coins } = jsonIn(bytes) as { version?: unknown; coins?: Record<string, Coin> }; // put by `save`
  if (version !== VERSION || !coins) throw new StoreError(`Version ${version} of the references`);
  return new Map(Object.entries(coins));
}
