/** Reads what was fetched for single coins, for requests and jobs; `coin-changes.ts` writes it. */
import { ByteCache, oncePer } from '../../platform/caches.ts';
import type { Environment } from '../../platform/environment.ts';
import { type Entry, Held } from '../../platform/held.ts';
import { messageOf } from '../../platform/message-of.ts';
import { count } from '../../platform/metrics.ts';
import { ifMissing, type Objects, objectsOf } from '../../platform/objects.ts';
import { StoreError } from '../binary-file.ts';
import { type CoinKind, coinCandles, coinFetched } from './coin-object.ts';
import { HISTORY_PREFIX } from './names.ts';

/** A coin's object as it was read, or as it was changed here. */
export interface Copy<T> {
  readonly content: T;
  readonly etag: string | undefined;
  /** Why it cannot be opened: then it is never replaced. */
  readonly damage?: StoreError;
  /** Whether it holds what could not be stored. */
  readonly isUnsaved?: boolean;
}

const MAX_BYTES = 16 * 1024 * 1024;
const EMPTY_BYTES = 100;
/** S3 reads and puts some kilobytes in 20 to 60 ms. No response waits longer. */
export const S3_TIMEOUT_MS = 1_500;

type Stored = Pick<Objects, 'getNewer' | 'put'>;

/** One kind of coins' objects in this container. Without a bucket they exist only here. */
export class CoinObjects<T> {
  /** Undefined without a bucket. */
  readonly objects: Stored | undefined;
  readonly kind: CoinKind<T>;
  readonly #held: Held<Copy<T>>;

  constructor(objects: Stored | undefined, kind: CoinKind<T>, readMs = S3_TIMEOUT_MS) {
    this.objects = objects;
    this.kind = kind;
    const cache = new ByteCache<Entry<Copy<T>>>(
      MAX_BYTES,
      ({ value }) => EMPTY_BYTES + (value ? kind.bytesOf(value.content) : 0),
    );
    this.#held = new Held({
      ...{ cache, readMs, rests: () => false },
      onFailure: () => count('SharedStoreFailures'),
    });
  }

  /** The coin's object, held for as long as its kind allows. Throws StoreError if it cannot be opened, and what `Objects` throw. */
  async read(id: string): Promise<T> {
    const { content, damage } = await this.copy(id);
    if (damage) throw damage;
    return content;
  }

  /** As it is now: another instance may have changed it. Throws as `read` does. */
  readNow(id: string): Promise<T> {
    this.lookAgain(id);
    return this.read(id);
  }

  /** Holds a changed object here, until the next read. */
  hold(id: string, copy: Copy<T>): void {
    this.#held.put(id, copy);
  }

  /** The object as held here; nothing if it was never read. */
  peek(id: string): T {
    return this.#held.peek(id)?.content ?? this.kind.nothing;
  }

  /** The next read looks for a newer one. */
  lookAgain(id: string): void {
    const copy = this.#held.peek(id);
    if (copy) this.#held.put(id, copy);
  }

  /** What is known of it, even if it cannot be opened. Throws what `Objects` throw. */
  copy(id: string): Promise<Copy<T>> {
    const { name, nothing, open, heldMs, isBrief = false } = this.kind;
    return this.#held.get(id, {
      read: async (signal, held) => {
        const none: Copy<T> = held?.isUnsaved ? held : { content: nothing, etag: undefined };
        if (!this.objects) return held ?? none;
        const reading = this.objects.getNewer(name(id), held?.etag, { signal });
        const newer = await reading.then(
          (stored) => stored ?? held ?? none,
          (error) => ifMissing(error) ?? none,
        );
        if (!('bytes' in newer)) return newer;
        const { bytes, etag } = newer;
        try {
          return { content: open(bytes, id), etag };
        } catch (error) {
          count('HistoryUnusable');
          return { content: nothing, etag, ...(!isBrief && { damage: new StoreError(messageOf(error)) }) };
        }
      },
      untilOf: (_copy, now) => now + heldMs,
    });
  }
}

const ofBucket =
  <T>(kind: CoinKind<T>) =>
  ({ HISTORY_BUCKET: bucket }: Environment) =>
    new CoinObjects(bucket ? objectsOf(bucket, HISTORY_PREFIX) : undefined, kind);

/** This container's coins' candles. */
export const coinCandlesOf = oncePer(ofBucket(coinCandles));
/** This container's tickers and refusals of single coins. */
export const coinFetchedOf = oncePer(ofBucket(coinFetched));
