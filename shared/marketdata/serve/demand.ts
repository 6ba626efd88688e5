/** What no store has is fetched once, for all instances, and put into the store: as the coin's object. */

import { tableOf } from '../../coordination/coordination.ts';
import { withLease } from '../../coordination/lease.ts';
import { rowKey } from '../../coordination/table.ts';
import { isOutage } from '../../http/errors.ts';
import { ByteCache } from '../../platform/byte-cache.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { again, nothingToRead, type Objects, objectsOf, replacing } from '../../platform/objects.ts';
import { withTimeout } from '../../platform/with-timeout.ts';
import { PAID_WAIT_MS } from '../freshness.ts';
import { type CoinObject, encodeCoin, noCoinObject, openCoin } from '../store/coin-object.ts';
import { HISTORY_PREFIX, objectNames } from '../store/names.ts';
import { StoreError } from '../store/store-error.ts';

/** A coin's object as this container has it. */
interface Held {
  readonly object: CoinObject;
  readonly etag: string | undefined;
  /** Milliseconds since the epoch. */
  readonly readAt: number;
  /** True for one that cannot be opened: it is not replaced, and nobody is asked for what is missing. */
  readonly isDamaged?: boolean;
}

/** What is wanted of a coin, and how it is fetched. */
export interface Want<T> {
  /** `ticker`, or a base interval: equal ones of all instances cost one request. */
  readonly what: string;
  /** What the coin's object has of it, if that is enough. Throws a refusal in force. */
  find(object: CoinObject): T | undefined;
  /** Asks the provider. `onPaid` is to be called once a request is paid for. Throws what is not worth storing. */
  fetch(object: CoinObject, onPaid: () => void): Promise<Fetched<T>>;
}

/** A provider's answer, or the refusal that is stored in its place, and what of it the coin's object gets. */
export type Fetched<T> = ({ readonly value: T } | { readonly refusal: Error }) & {
  readonly change?: (object: CoinObject) => CoinObject;
};

/** A fetch that equal requests of this container share. */
export interface Loading<T> {
  readonly promise: Promise<T>;
  readonly startedAt: number;
  hasPaid: boolean;
  /** Milliseconds since the epoch. */
  failedAt?: number;
}

interface LoadOptions {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Whether something stands in for what is loaded: then a failure counts for a while. */
  readonly hasStandIn?: boolean | undefined;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** S3 reads and puts some kilobytes in 20 to 60 ms. Nobody's answer waits for longer. */
const S3_TIMEOUT_MS = 1_500;
/** For so long after a failure those who have a stand-in take that, and nobody asks for them. */
const FAILED_MS = 10_000;
/** Another instance's answer is looked for so often. */
const READ_AGAIN_MS = 10_000;
const BINARY = 'application/octet-stream';

/** What this container knows of coins' objects. Without a bucket they live here alone. */
export class Demand {
  readonly #environment: Environment;
  readonly #provider: { readonly name: string; readonly title: string };
  readonly #objects: Objects | undefined;
  readonly #held = new ByteCache<Held>(MAX_BYTES);
  readonly #loading = new Map<string, Loading<unknown>>();

  constructor(environment: Environment, provider: { readonly name: string; readonly title: string }) {
    [this.#environment, this.#provider] = [environment, provider];
    const { HISTORY_BUCKET: bucket } = environment;
    this.#objects = bucket ? objectsOf(bucket, HISTORY_PREFIX) : undefined;
  }

  /** The coin's object if it is held here or, unless it was read just now, in the store. Never throws. */
  async coin(id: string, isEnough: (object: CoinObject) => boolean = () => false): Promise<CoinObject> {
    return (await this.#coin(id, isEnough)).object;
  }

  /** Whether the coin's object lies in the store and cannot be opened. */
  isDamaged(id: string): boolean {
    return this.#held.get(id)?.isDamaged === true;
  }

  /**
   * Begins to fetch what is wanted, or joins the fetch that has begun. One that is older than its time-out was frozen with
   * its container, and is begun anew.
   */
  load<T>(id: string, want: Want<T>, { deadline, hasStandIn = false }: LoadOptions): Loading<T> {
    const key = `${want.what} ${id}`;
    const known = this.#loading.get(key) as Loading<T> | undefined; // one key is always one kind of data
    if (known && this.#isShared(known, hasStandIn)) {
      count('CacheShared');
      return known;
    }
    count('CacheMisses');
    const loading: { -readonly [K in keyof Loading<T>]: Loading<T>[K] } = {
      promise: Promise.reject(),
      startedAt: Date.now(),
      hasPaid: false,
    };
    loading.promise.catch(() => {});
    loading.promise = this.#fetch(id, want, deadline, () => {
      loading.hasPaid = true;
    });
    const forget = () => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    };
    loading.promise.then(forget, () => {
      loading.failedAt = Date.now();
      setTimeout(forget, FAILED_MS).unref();
    });
    this.#loading.set(key, loading);
    return loading;
  }

  #isShared({ startedAt, failedAt }: Loading<unknown>, hasStandIn: boolean): boolean {
    if (failedAt !== undefined) return hasStandIn && Math.abs(Date.now() - failedAt) < FAILED_MS;
    const ageMs = Date.now() - startedAt;
    return ageMs >= 0 && ageMs <= Number(this.#environment.UPSTREAM_TIMEOUT_MS);
  }

  #fetch<T>(id: string, want: Want<T>, deadline: number, onPaid: () => void): Promise<T> {
    const { name, title } = this.#provider;
    const key = rowKey(name, 'lease', want.what, id);
    const find = async () => want.find(await this.#read(id).then(({ object }) => object));
    return withLease({ table: tableOf(this.#environment), key, deadline, title }, find, async () => {
      const { object } = this.#held.get(id) ?? { object: noCoinObject };
      const fetched = await want.fetch(object, onPaid);
      if (fetched.change) await this.#put(id, fetched.change);
      if ('refusal' in fetched) throw fetched.refusal;
      return fetched.value;
    });
  }

  /** Puts the changed object in place of the stored one. An answer that cannot be stored is given all the same. */
  async #put(id: string, change: (object: CoinObject) => CoinObject): Promise<void> {
    let held: Held = this.#held.get(id) ?? { object: noCoinObject, etag: undefined, readAt: 0 };
    const objects = this.#objects;
    if (objects && !held.isDamaged) {
      const store = async () => {
        const bytes = encodeCoin(id, change(held.object));
        try {
          await objects.put(objectNames.coin(id), bytes, BINARY, replacing(held.etag));
        } catch (error) {
          held = await this.#read(id); // another instance has put it, for something else
          throw error;
        }
      };
      const isStored = again(store).then(
        () => true,
        () => false,
      );
      if (!(await withTimeout(S3_TIMEOUT_MS, isStored))) count('SharedStoreFailures');
    }
    // The next put reads it again, for its ETag.
    this.#held.set(id, { object: change(held.object), etag: undefined, readAt: Date.now() });
  }

  async #coin(id: string, isEnough: (object: CoinObject) => boolean): Promise<Held> {
    const held = this.#held.get(id);
    const isRecent = held !== undefined && Math.abs(Date.now() - held.readAt) < READ_AGAIN_MS;
    if (held && (isRecent || !this.#objects || isEnough(held.object))) return held;
    return this.#read(id);
  }

  async #read(id: string): Promise<Held> {
    const known = this.#held.get(id);
    const readAt = Date.now();
    if (!this.#objects) return known ?? { object: noCoinObject, etag: undefined, readAt };
    let held: Held;
    try {
      const signal = AbortSignal.timeout(S3_TIMEOUT_MS);
      const stored = await this.#objects.get(objectNames.coin(id), signal).catch(nothingToRead);
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
}

/** Waits for what is loaded: for as long as it takes, or if something stands in for it, for a moment. */
export async function patiently<T>(
  loading: Loading<T>,
  standIn: T | undefined,
  staleWaitMs: number,
): Promise<{ readonly value: T; readonly isStandIn: boolean }> {
  if (standIn === undefined) return { value: await loading.promise, isStandIn: false };
  try {
    const newer =
      (await withTimeout(staleWaitMs, loading.promise)) ??
      // A request that is paid for is stayed with for longer, to see its answer arrive.
      (loading.hasPaid ? await withTimeout(PAID_WAIT_MS - staleWaitMs, loading.promise) : undefined);
    return newer === undefined ? { value: standIn, isStandIn: true } : { value: newer, isStandIn: false };
  } catch (error) {
    if (!isOutage(error)) throw error;
    return { value: standIn, isStandIn: true };
  }
}

const containers = new WeakMap<Environment, Demand>();

/** The container's view of coins' objects. */
export function demandOf(
  environment: Environment,
  provider: { readonly name: string; readonly title: string },
): Demand {
  const demand = containers.get(environment) ?? new Demand(environment, provider);
  containers.set(environment, demand);
  return demand;
}
