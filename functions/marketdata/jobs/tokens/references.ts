import { isFar } from '../../../../shared/marketdata/gate/jump.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { nothingYet, objectsOf } from '../../../../shared/platform/objects.ts';
import { publisherOf, replacing } from '../../../../shared/platform/publish-object.ts';
import type { HistoryStore } from '../history-store.ts';
import { type Bucket, SOURCES_PREFIX } from '../sources-store.ts';

/** What the provider itself said last of a coin, as far as our own history knows. */
interface Reference {
  /** In USD; null: nothing is known. */
  readonly price: number | null;
  /** When that was the price, and on which day it was looked up; milliseconds since the epoch. */
  readonly at: number;
  readonly lookedAt: number;
  /** Whether a token's price was refused for it: then it counts until there is a newer one. */
  readonly hasRefused: boolean;
  /** Whether the provider was asked for it. */
  readonly wasAsked: boolean;
}

/** Asks the provider what a coin costs, in USD; null: it does not say. Undefined: it may not be asked now. */
export type AskProvider = (id: string) => Promise<number | null | undefined>;

const NAME = 'references';
const VERSION = 2;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10_000;
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
/** The close of the last day, or of the one before until that is rolled up. */
const COUNTS_FOR_MS = 2 * DAY_MS;

/**
 * The provider's own prices of coins that its list does not bring, which tell the contract of an impostor. They are the
 * last closes in our own history that only the provider can have made, looked up a few coins at a time; if there is none,
 * the provider is asked, once for each coin: a contract that was found to be the coin's remains so.
 */
export class References {
  readonly #coins: Map<string, Reference>;
  readonly #etag: string | undefined;
  readonly #bucket: Bucket;

  private constructor(bucket: Bucket, coins: Map<string, Reference>, etag: string | undefined) {
    [this.#bucket, this.#coins, this.#etag] = [bucket, coins, etag];
  }

  /** Of an S3 bucket. Begins anew if what is stored cannot be used. */
  static read(bucket: string): Promise<References> {
    return References.readIn({
      objects: objectsOf(bucket, SOURCES_PREFIX),
      put: publisherOf(bucket, SOURCES_PREFIX),
    });
  }

  static async readIn(bucket: Bucket): Promise<References> {
    const object = await bucket.objects.get(NAME, AbortSignal.timeout(TIMEOUT_MS)).catch(nothingYet);
    return new References(
      bucket,
      object ? coinsIn(Buffer.from(object.bytes).toString()) : new Map(),
      object?.etag,
    );
  }

  /** Whether a price is more than threefold away from the provider's own of the last day. */
  refuses(id: string, price: number, now: number): boolean {
    const known = this.#coins.get(id);
    if (!known || known.price === null) return false;
    if (now - known.at > COUNTS_FOR_MS && !known.hasRefused) return false;
    const hasRefused = isFar(known.price, price);
    if (hasRefused !== known.hasRefused) this.#coins.set(id, { ...known, hasRefused });
    return hasRefused;
  }

  /** Looks up some of these coins, those that were longest not. Throws what the store throws. */
  async lookUp(store: Pick<HistoryStore, 'daily'>, ids: readonly string[], now: number): Promise<void> {
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    const lookedAt = (id: string) => this.#coins.get(id)?.lookedAt ?? 0;
    const due = ids
      .filter((id) => lookedAt(id) < today)
      .toSorted((a, b) => lookedAt(a) - lookedAt(b))
      .slice(0, LOOKED_UP_A_RUN);
    await atMost(AT_A_TIME, due, async (id) => {
      const close = (await store.daily(id))?.candles.findLast(isOfProvider);
      const before = this.#coins.get(id);
      const at = close?.lastAt ?? 0;
      // What the provider was asked for may be newer than what it has told our own history.
      if (before && before.at >= at) return void this.#coins.set(id, { ...before, lookedAt: today });
      const wasAsked = before?.wasAsked ?? false;
      this.#coins.set(id, { price: close?.close ?? null, at, lookedAt: today, hasRefused: false, wasAsked });
    });
    const current = new Set(ids);
    for (const id of this.#coins.keys()) if (!current.has(id)) this.#coins.delete(id);
  }

  /** Asks for some of these coins, by rank, of which nothing is known of late. Throws what asking throws. */
  async ask(askProvider: AskProvider, ids: readonly string[], now: number): Promise<void> {
    for (const id of ids.filter((one) => this.#isUnknown(one, now)).slice(0, ASKED_A_RUN)) {
      const price = await askProvider(id);
      if (price === undefined) return;
      const lookedAt = this.#coins.get(id)?.lookedAt ?? 0;
      this.#coins.set(id, { price, at: now, lookedAt, hasRefused: false, wasAsked: true });
    }
  }

  #isUnknown(id: string, now: number): boolean {
    const known = this.#coins.get(id);
    if (!known) return false; // its history comes first
    if (known.hasRefused) return now - known.at > ASKED_AGAIN_MS;
    return !known.wasAsked && (known.price === null || now - known.at > COUNTS_FOR_MS);
  }

  /** Throws what the AWS SDK throws, and ConditionFailed if another run was quicker. */
  async save(): Promise<void> {
    const coins = [...this.#coins].map(
      ([id, { price, at, lookedAt, hasRefused, wasAsked }]): [string, Row] => [
        id,
        [price, at, lookedAt / DAY_MS, Number(hasRefused) + 2 * Number(wasAsked)],
      ],
    );
    const text = JSON.stringify({ version: VERSION, coins: Object.fromEntries(coins) });
    await this.#bucket.put(NAME, text, 'application/json', replacing(this.#etag));
  }
}

/** A reference in the object: price, its time in milliseconds, the day since 1970 of the look, 1 if it has refused one, and 2 if asked for. */
type Row = readonly [price: number | null, at: number, lookedAt: number, flags: number];

/** A source of token prices knows neither volume nor market cap, and candles made of its prices have none. */
function isOfProvider({ volume, market_cap }: StoredCandle): boolean {
  return volume !== null || market_cap !== null;
}

function coinsIn(text: string): Map<string, Reference> {
  try {
    const { version, coins } = JSON.parse(text) as { version?: unknown; coins?: Record<string, Row> }; // written above
    if (version !== VERSION || !coins) return new Map();
    return new Map(
      Object.entries(coins).map(([id, [price, at, lookedAt, flags]]) => [
        id,
        {
          price,
          at,
          lookedAt: lookedAt * DAY_MS,
          hasRefused: flags % 2 === 1,
          wasAsked: flags >= 2,
        },
      ]),
    );
  } catch {
    return new Map();
  }
}
