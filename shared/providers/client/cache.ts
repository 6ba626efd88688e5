import { ApiError, isOutage } from '../../http/errors.ts';
import { count } from '../../platform/metrics.ts';
import { withTimeout } from '../../platform/with-timeout.ts';

/** What a load brings: the value, until when it is fresh, and how long after that it may stand in for a failure. */
export interface Loaded<T> {
  readonly value: T;
  /** Milliseconds since the epoch. */
  readonly freshUntil: number;
  readonly staleForMs: number;
  /** True where the load itself had nothing newer in time. */
  readonly stale?: boolean;
}

/** Brings a value. Calls `onRequestStarted` once it has paid for it, so that its request stays to see it arrive. */
export type Load<T> = (onRequestStarted: () => void) => Promise<Loaded<T>>;

export interface Cached<T> {
  readonly value: T;
  readonly freshUntil: number;
  /** True where the provider did not give a newer value in time. */
  readonly stale: boolean;
}

interface Entry extends Loaded<unknown> {
  readonly storedAt: number;
  /** Before this, asking again would bring the same stale value. */
  readonly askAgainAt: number;
}

interface Pending<T> {
  readonly promise: Promise<Loaded<T>>;
  readonly startedAt: number;
  waiting: number;
  /** True once nobody waited for it any more: its event is over, and its sockets may have died since. */
  orphaned: boolean;
  hasStarted: boolean;
}

interface Options {
  readonly maxEntries: number;
  /** How long a request waits for a refresh before it takes the stale entry. */
  readonly staleWaitMs: number;
  /** A load older than this belongs to an event long gone: its sockets are dead or its answer is old. */
  readonly loadTimeoutMs: number;
  readonly now?: () => number;
}

const NOT_FOUND_MS = 60_000;
/** How long a request stays with a refresh that is paid for, before it takes the stale entry. */
export const STARTED_WAIT_MS = 2_000;
const STALE_AGAIN_MS = 1_000;

/**
 * Answers of the provider, in this container: fresh for as long as each says, shared by equal requests that come
 * while one is loading, and standing in, marked stale, where a refresh fails or takes too long. Knows that its
 * container is frozen between events: a refresh that no request waits for any more is either finished by the next
 * one or begun anew, and is never what an answer depends on.
 */
export class UpstreamCache {
  readonly #options: Options;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #notFound = new Map<string, { error: ApiError; at: number }>();
  readonly #pending = new Map<string, Pending<unknown>>();

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * The value for the key, from here or from `load`. Throws what `load` throws, unless it is an outage and an entry
   * can stand in. An error never replaces an entry; a 404 is remembered for a minute.
   */
  async get<T>(key: string, load: Load<T>): Promise<Cached<T>> {
    const now = this.#now();
    const entry = this.#entries.get(key) as (Entry & Loaded<T>) | undefined; // one key is always one kind of value
    if (entry && now >= entry.storedAt && now < entry.freshUntil) {
      keep(this.#entries, key, entry, this.#options.maxEntries);
      count('CacheHits');
      return { ...entry, stale: false };
    }
    const refusal = this.#notFound.get(key);
    if (refusal && now >= refusal.at && now < refusal.at + NOT_FOUND_MS) {
      count('CacheHits');
      throw refusal.error;
    }

    const standIn = entry && now < entry.freshUntil + entry.staleForMs ? entry : undefined;
    if (standIn && now >= standIn.storedAt && now < standIn.askAgainAt) {
      count('CacheHits');
      return told({ ...standIn, stale: true });
    }
    count(this.#inFlight(key) ? 'CacheShared' : 'CacheMisses');
    if (!standIn) return told(cached(await this.#load(key, load)));
    const loaded = await this.#load(key, load, this.#options.staleWaitMs).catch((error) => {
      if (!isOutage(error)) throw error;
    });
    const isBetter = loaded && !(loaded.stale && loaded.freshUntil < standIn.freshUntil);
    return told(isBetter ? cached(loaded) : { ...standIn, stale: true });
  }

  #load<T>(key: string, load: Load<T>): Promise<Loaded<T>>;
  #load<T>(key: string, load: Load<T>, waitMs: number): Promise<Loaded<T> | undefined>;
  async #load<T>(key: string, load: Load<T>, waitMs?: number): Promise<Loaded<T> | undefined> {
    const pending = this.#inFlight<T>(key);
    if (!pending) return waitFor(this.#begin(key, load), waitMs);
    const { orphaned } = pending;
    try {
      return await waitFor(pending, waitMs);
    } catch (error) {
      if (!orphaned) throw error;
      return waitFor(this.#inFlight<T>(key) ?? this.#begin(key, load), waitMs);
    }
  }

  #inFlight<T>(key: string): Pending<T> | undefined {
    const pending = this.#pending.get(key);
    const age = pending ? this.#now() - pending.startedAt : 0;
    return age >= 0 && age <= this.#options.loadTimeoutMs ? (pending as Pending<T> | undefined) : undefined;
  }

  #begin<T>(key: string, load: Load<T>): Pending<T> {
    const startedAt = this.#now();
    const finish = () => {
      const isCurrent = this.#pending.get(key) === pending;
      if (isCurrent) this.#pending.delete(key);
      return isCurrent;
    };
    const onRequestStarted = () => {
      pending.hasStarted = true;
    };
    const promise = load(onRequestStarted).then(
      (loaded) => {
        if (finish()) this.#store(key, loaded, startedAt);
        return loaded;
      },
      (error) => {
        finish();
        if (error instanceof ApiError && error.statusCode === 404) {
          keep(this.#notFound, key, { error, at: startedAt }, this.#options.maxEntries);
        }
        throw error;
      },
    );
    promise.catch(() => {}); // its waiters may all have gone
    const pending: Pending<T> = { promise, startedAt, waiting: 0, orphaned: false, hasStarted: false };
    this.#pending.set(key, pending);
    return pending;
  }

  #store(key: string, loaded: Loaded<unknown>, storedAt: number): void {
    const older = this.#entries.get(key);
    if (loaded.stale && older && older.freshUntil > loaded.freshUntil) return;
    this.#notFound.delete(key);
    const askAgainAt = loaded.stale ? this.#now() + STALE_AGAIN_MS : 0;
    keep(this.#entries, key, { ...loaded, storedAt, askAgainAt }, this.#options.maxEntries);
  }
}

/** The same, counted where it is stale. */
function told<T>(answer: Cached<T>): Cached<T> {
  if (answer.stale) count('CacheStale');
  return answer;
}

function cached<T>(loaded: Loaded<T>): Cached<T> {
  return { value: loaded.value, freshUntil: loaded.freshUntil, stale: loaded.stale ?? false };
}

/** Undefined when `waitMs` runs out first, or for a load that is paid for the longer wait. */
async function waitFor<T>(pending: Pending<T>, waitMs?: number): Promise<Loaded<T> | undefined> {
  pending.waiting += 1;
  try {
    if (waitMs === undefined) return await pending.promise;
    const loaded = await withTimeout(waitMs, pending.promise);
    if (loaded || !pending.hasStarted) return loaded;
    return await withTimeout(STARTED_WAIT_MS - waitMs, pending.promise);
  } finally {
    pending.waiting -= 1;
    pending.orphaned ||= pending.waiting === 0;
  }
}

/** Puts the entry at the end of the map's order and drops from its front what is over the number. */
function keep<V>(map: Map<string, V>, key: string, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) return;
    map.delete(oldest);
  }
}
