import { SOURCES_PREFIX } from '../../../../shared/marketdata/sources/source-map.ts';
import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { type Bucket, bucketOf, jsonIn, openFrom } from '../../../../shared/platform/open-object.ts';
import { replacing } from '../../../../shared/platform/publish-object.ts';
import type { HistoryStore } from '../history-store.ts';
import { type Held, heldBack, isLike, isOfLate, type Known, type Offer } from './held.ts';

interface Coin extends Known {
  /** The day of the last look at its history, and when the provider was asked last; 0: never. */
  readonly lookedAt: number;
  readonly askedAt: number;
}

/** Asks the provider what a coin costs, in USD; null: it does not say. Undefined: it may not be asked now. */
export type AskProvider = (id: string) => Promise<number | null | undefined>;

/** What a run brings: prices by coin, by rank, and what the tail has published of these coins. */
export interface Offers {
  readonly offers: ReadonlyMap<string, Offer>;
  readonly published: ReadonlyMap<string, number>;
  readonly now: number;
  readonly intervalMs: number;
}

const VERSION = 3;
const NAME = `references.v${VERSION}`;
const DAY_MS = 86_400_000;
/** Each a read of our own history; 144 runs a day look at 14,000 coins. */
const LOOKED_UP_A_RUN = 100;
const AT_A_TIME = 16;
/**
 * Each a request to the provider, of what the backfill of the history may spend: two a run would be all of it, and the
 * coins of the snapshot would wait for their past.
 */
const ASKED_A_RUN = 1;
/** A price that refuses is asked for again after that. */
const ASKED_AGAIN_MS = 7 * DAY_MS;
/** A coin that is no longer in the tail is remembered for that long: it may come back with another contract. */
const REMEMBERED_MS = 30 * DAY_MS;

const unknown: Coin = {
  reference: { price: null, at: 0 },
  accepted: undefined,
  held: undefined,
  lookedAt: 0,
  askedAt: 0,
};

/**
 * What is known of each coin that a source of token prices prices: the provider's own price, what was published last, and
 * what is held back. The provider's prices are the last closes in our own history that only the provider can have made,
 * looked up a few coins at a time; if there is none, the provider is asked, once for each coin, and for those whose price
 * is held back first.
 */
export class References {
  readonly #coins: Map<string, Coin>;
  readonly #etag: string | undefined;
  readonly #bucket: Bucket;

  private constructor(bucket: Bucket, coins: Map<string, Coin>, etag: string | undefined) {
    [this.#bucket, this.#coins, this.#etag] = [bucket, coins, etag];
  }

  /** Of an S3 bucket. Begins anew if what is stored cannot be opened. */
  static read(bucket: string): Promise<References> {
    return References.readIn(bucketOf(bucket, SOURCES_PREFIX));
  }

  static async readIn(bucket: Bucket): Promise<References> {
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

  /** Asks for some of the coins of a run of which nothing is known of late. Throws what asking throws. */
  async ask(askProvider: AskProvider, run: Offers): Promise<void> {
    const urgencies = [...run.offers].map(([id, offer]) => ({
      id,
      urgency: this.#urgencyOf(id, offer, run),
    }));
    const due = urgencies.filter(({ urgency }) => urgency > 0).toSorted((a, b) => b.urgency - a.urgency);
    for (const { id } of due.slice(0, ASKED_A_RUN)) {
      const price = await askProvider(id);
      if (price === undefined) return;
      const coin = this.#of(id);
      const reference = price === null ? coin.reference : { price, at: run.now };
      this.#coins.set(id, { ...coin, reference, askedAt: run.now });
    }
  }

  /** The coins whose prices of a run are held back. Remembers what becomes of each price. */
  judge(run: Offers): ReadonlySet<string> {
    const heldIds = new Set<string>();
    for (const [id, offer] of run.offers) {
      const coin = this.#of(id);
      const held = heldBack(offer, this.#knownOf(id, run), run);
      if (held) heldIds.add(id);
      this.#coins.set(id, held ? { ...coin, held } : { ...coin, held: undefined, accepted: offer });
    }
    return heldIds;
  }

  /** A run that brings no price of a coin ends the row of those that do. */
  missed(id: string): void {
    const coin = this.#of(id);
    if (coin.held) this.#coins.set(id, { ...coin, held: { ...coin.held, runs: 0 } });
  }

  /** Whether a price that was published contradicts what holds back the next one. */
  disowns(id: string, price: number): boolean {
    const { held, reference } = this.#of(id);
    return held?.refusedBy === reference.at && !isLike(reference, price);
  }

  /** Throws what the AWS SDK throws, and ConditionFailed if another run was quicker. */
  async save(): Promise<void> {
    const coins = Object.fromEntries([...this.#coins].map(([id, coin]) => [id, rowOf(coin)]));
    const text = JSON.stringify({ version: VERSION, coins });
    await this.#bucket.put(NAME, text, 'application/json', replacing(this.#etag));
  }

  #of(id: string): Coin {
    return this.#coins.get(id) ?? unknown;
  }

  /** What the tail has published counts, whatever became of this note. */
  #knownOf(id: string, { published }: Offers): Known {
    const { accepted, ...coin } = this.#of(id);
    const price = published.get(id) ?? accepted?.price;
    return { ...coin, accepted: price === undefined ? undefined : { price, contracts: accepted?.contracts } };
  }

  /** 0: it is not to be asked for. A price that is held back comes first, that of a coin that had another one before all. */
  #urgencyOf(id: string, offer: Offer, run: Offers): number {
    const { reference, askedAt } = this.#of(id);
    const { now } = run;
    const known = this.#knownOf(id, run);
    const held = heldBack(offer, known, run);
    if (held) {
      const isDue = askedAt < held.since || askedAt > now || now - askedAt > ASKED_AGAIN_MS;
      return isDue ? (known.accepted ? 3 : 2) : 0;
    }
    // Its history comes first.
    return this.#coins.has(id) && askedAt === 0 && !isOfLate(reference, now) ? 1 : 0;
  }
}

/** A source of token prices knows neither volume nor market cap, and candles made of its prices have none. */
function isOfProvider({ volume, market_cap }: StoredCandle): boolean {
  return volume !== null || market_cap !== null;
}

/**
 * A coin in the object: the reference and its time in milliseconds, the day since 1970 of the look, when the provider was
 * asked, the price that was published and its contracts, and what is held back.
 */
type Row = readonly [
  price: number | null,
  at: number,
  lookedAt: number,
  askedAt: number,
  accepted: number | null,
  contracts: string | null,
  held: Held | null,
];

function rowOf({ reference, lookedAt, askedAt, accepted, held }: Coin): Row {
  const { price, at } = reference;
  const published = [accepted?.price ?? null, accepted?.contracts ?? null] as const;
  return [price, at, lookedAt / DAY_MS, askedAt, ...published, held ?? null];
}

function coinOf([price, at, lookedAt, askedAt, accepted, contracts, held]: Row): Coin {
  return {
    reference: { price, at },
    accepted: accepted === null ? undefined : { price: accepted, contracts: contracts ?? undefined },
    held: held ?? undefined,
    lookedAt: lookedAt * DAY_MS,
    askedAt,
  };
}

function coinsIn(bytes: Uint8Array): Map<string, Coin> {
  const { version, coins } = jsonIn(bytes) as { version?: unknown; coins?: Record<string, Row> }; // written above
  if (version !== VERSION || !coins) throw new StoreError(`Version ${version} of the references`);
  return new Map(Object.entries(coins).map(([id, row]) => [id, coinOf(row)]));
}
