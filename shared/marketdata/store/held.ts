import { ByteCache } from '../../platform/byte-cache.ts';
import { count } from '../../platform/metrics.ts';
import { ifMissing, type Objects, objectsOf } from '../../platform/objects.ts';
import { withTimeout } from '../../platform/with-timeout.ts';

interface Options<T> {
  /** The size of all values together. */
  readonly maxBytes: number;
  readonly bytesOf: (value: T) => number;
  /** The longest possible read: an older one was frozen with its container and is started again. */
  readonly readMs: number;
  readonly now?: () => number;
}

interface Entry<T> {
  readonly value: T;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly readAt: number;
}

interface Reading<T> {
  readonly startedAt: number;
  readonly abort: AbortController;
  readonly value: Promise<T>;
  /** Whether it replaces a frozen read. */
  readonly isAnew: boolean;
}

/** How to read a value, and how long it stays valid. */
interface Source<T> {
  /** `held` is the older value, if there is one. */
  read(signal: AbortSignal, held: T | undefined): Promise<T>;
  untilOf(value: T, now: number): number;
  /** With an older value, a request waits at most this long for a newer one; by default, until it is read. */
  readonly waitMs?: number;
}

/** How long an older value stays valid after a failed read. */
const AFTER_FAILURE_MS = 10_000;

/**
 * The values that a container has read from the store, by key, each until a newer one may exist. Each key has one read at a time. A
 * value that cannot be read again is kept, because it is as true as before.
 *
 * A container is frozen between events: a read that stood still for longer than `readMs` has an unreliable connection and is
 * started again. The request that restarts it waits for it even beyond its `waitMs`; otherwise, with rare requests, no read would
 * ever end.
 */
export class Held<T> {
  readonly #options: Options<T>;
  readonly #now: () => number;
  readonly #entries: ByteCache<Entry<T>>;
  readonly #readings = new Map<string, Reading<T>>();

  constructor(options: Options<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#entries = new ByteCache(options.maxBytes, ({ value }) => options.bytesOf(value));
  }

  /** The held value, or a new one. Throws what reading throws if there is neither. */
  async get(key: string, source: Source<T>): Promise<T> {
    const entry = this.#entries.get(key);
    const now = this.#now();
    // A clock that was set back must not keep a value for longer.
    if (entry && now < entry.until && now >= entry.readAt) return entry.value;
    const reading = this.#reading(key, source, entry, now);
    if (!entry || (source.waitMs === undefined && !reading.isAnew)) return reading.value;
    const waitMs = reading.isAnew ? this.#options.readMs : (source.waitMs ?? 0);
    return withTimeout(waitMs, reading.value, () => entry.value);
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  #reading(key: string, source: Source<T>, entry: Entry<T> | undefined, now: number): Reading<T> {
    const before = this.#readings.get(key);
    if (before && Math.abs(now - before.startedAt) <= this.#options.readMs) return before;
    before?.abort.abort();
    const abort = new AbortController();
    const value = this.#read(key, source, entry, abort.signal).finally(() => {
      if (this.#readings.get(key)?.abort === abort) this.#readings.delete(key);
    });
    value.catch(() => {}); // waiting requests get the error
    const reading = { startedAt: now, abort, value, isAnew: before !== undefined };
    this.#readings.set(key, reading);
    return reading;
  }

  async #read(key: string, source: Source<T>, entry: Entry<T> | undefined, aborted: AbortSignal): Promise<T> {
    try {
      const signal = AbortSignal.any([aborted, AbortSignal.timeout(this.#options.readMs)]);
      const value = await source.read(signal, entry?.value);
      const readAt = this.#now();
      if (!aborted.aborted) this.#entries.set(key, { value, until: source.untilOf(value, readAt), readAt });
      return value;
    } catch (error) {
      if (!entry) throw error;
      const readAt = this.#now();
      if (!aborted.aborted) this.#entries.set(key, { ...entry, until: readAt + AFTER_FAILURE_MS, readAt });
      return entry.value;
    }
  }
}

/** An object that routes read whole, and how long a container holds it. */
interface HeldObject<T> {
  /** In front of the name. */
  readonly prefix: string;
  readonly name: string;
  /** Throws if the bytes cannot be opened. */
  readonly open: (bytes: Uint8Array) => T | undefined;
  readonly readMs: number;
  readonly heldMs: number;
  /** How soon a missing object is looked for again. */
  readonly missingMs: number;
}

/**
 * Reads one object of a bucket for this container. The result is undefined without a bucket or an object, or while it cannot be
 * read, which is counted. Never throws.
 */
export function heldObject<T>({ prefix, name, open, readMs, heldMs, missingMs }: HeldObject<T>) {
  const held = new Held<T | undefined>({ maxBytes: Number.POSITIVE_INFINITY, bytesOf: () => 0, readMs });
  let objects: Objects | undefined;
  return async (bucket: string | undefined): Promise<T | undefined> => {
    if (!bucket) return undefined;
    objects ??= objectsOf(bucket, prefix);
    const { get } = objects;
    try {
      return await held.get(name, {
        async read(signal) {
          const object = await get(name, signal).catch(ifMissing);
          return object && open(object.bytes);
        },
        untilOf: (value, now) => now + (value ? heldMs : missingMs),
      });
    } catch {
      count('SharedStoreFailures');
      return undefined;
    }
  };
}
