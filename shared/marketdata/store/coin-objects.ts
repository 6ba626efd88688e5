/** This container's copies of coins' objects: data fetched for single coins. */
import { ByteCache, oncePer } from '../../platform/caches.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { ifMissing, type Objects, objectsOf, replacing, retryOnConflict } from '../../platform/objects.ts';
import { elapsedMs } from '../../platform/time.ts';
import { withTimeout } from '../../platform/waiting.ts';
import { StoreError } from '../binary-file.ts';
import { type CoinObject, encodeCoin, noCoinObject, openCoin } from './coin-object.ts';
import { HISTORY_PREFIX, objectNames } from './names.ts';

/** This container's copy of a coin's object. */
interface Held {
  readonly object: CoinObject;
  readonly etag: string | undefined;
  /** Milliseconds since the epoch. */
  readonly readAt: number;
  /** True if it cannot be opened: it is not replaced, and missing data is not fetched. */
  readonly isDamaged?: boolean;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** S3 reads and puts some kilobytes in 20 to 60 ms. No response waits longer. */
const S3_TIMEOUT_MS = 1_500;
/** How often another instance's data is looked for. */
const READ_AGAIN_MS = 10_000;
const BINARY = 'application/octet-stream';

/** Without a bucket the objects exist only here. */
class CoinObjects {
  readonly #objects: Objects | undefined;
  readonly #held = new ByteCache<Held>(MAX_BYTES);

  constructor({ HISTORY_BUCKET: bucket }: Environment) {
    this.#objects = bucket ? objectsOf(bucket, HISTORY_PREFIX) : undefined;
  }

  /** The coin's object from here or, unless it was just read, from the store. Never throws. */
  async coin(id: string, isEnough: (object: CoinObject) => boolean = () => false): Promise<CoinObject> {
    return (await this.#recent(id, isEnough)).object;
  }

  /** Whether the coin's object lies in the store and cannot be opened. */
  isDamaged(id: string): boolean {
    return this.#held.get(id)?.isDamaged === true;
  }

  /** Replaces the stored object by the changed one. Data that cannot be stored is served all the same. */
  async put(id: string, change: (object: CoinObject) => CoinObject): Promise<void> {
    let held: Held = this.#held.get(id) ?? { object: noCoinObject, etag: undefined, readAt: 0 };
    const objects = this.#objects;
    if (objects && !held.isDamaged) {
      const store = async () => {
        const bytes = encodeCoin(id, change(held.object));
        try {
          await objects.put(objectNames.coin(id), bytes, BINARY, replacing(held.etag));
        } catch (error) {
          held = await this.#stored(id); // another instance has put it, for other data
          throw error;
        }
      };
      const isStored = retryOnConflict(store).then(
        () => true,
        () => false,
      );
      if (!(await withTimeout(S3_TIMEOUT_MS, isStored))) count('SharedStoreFailures');
    }
    // The next put reads it again, for its ETag.
    this.#held.set(id, { object: change(held.object), etag: undefined, readAt: Date.now() });
  }

  async #recent(id: string, isEnough: (object: CoinObject) => boolean): Promise<Held> {
    const held = this.#held.get(id);
    const isRecent = held !== undefined && elapsedMs(held.readAt) < READ_AGAIN_MS;
    if (held && (isRecent || !this.#objects || isEnough(held.object))) return held;
    return this.#stored(id);
  }

  async #stored(id: string): Promise<Held> {
    const known = this.#held.get(id);
    const readAt = Date.now();
    if (!this.#objects) return known ?? { object: noCoinObject, etag: undefined, readAt };
    let held: Held;
    try {
      const signal = AbortSignal.timeout(S3_TIMEOUT_MS);
      const stored = await this.#objects.get(objectNames.coin(id), signal).catch(ifMissing);
      held = stored
        ? { object: openCoin(stored.bytes, id), etag: stored.etag, readAt }
        : { object: noCoinObject, etag: undefined, readAt };
    } catch (error) {
      const isDamaged = error instanceof StoreError;
      count(isDamaged ? 'HistoryUnusable' : 'SharedStoreFailures');
      held = { ...(known ?? { object: noCoinObject, etag: undefined }), readAt, isDamaged };
    }
    this.#held.set(id, held);
    return held;
  }

  /** The coin's object as held here; an empty one if it was never read. */
  held(id: string): CoinObject {
    return this.#held.get(id)?.object ?? noCoinObject;
  }

  /** The coin's stored object. Never throws. */
  async read(id: string): Promise<CoinObject> {
    return (await this.#stored(id)).object;
  }
}

/** The container's view of coins' objects. */
export const coinObjectsOf = oncePer((environment: Environment) => new CoinObjects(environment));
