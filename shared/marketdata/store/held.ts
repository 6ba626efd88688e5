import { ByteCache } from '../../platform/byte-cache.ts';
import { withTimeout } from '../../platform/with-timeout.ts';

interface Options<T> {
  /** Of all values together. */
  readonly maxBytes: number;
  readonly bytesOf: (value: T) => number;
  /** A read takes no longer: one that is older was frozen with its container, and is begun anew. */
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
  /** Whether it was begun in place of one that was frozen. */
  readonly isAnew: boolean;
}

/** How a value is read, and how long it is good. */
interface Source<T> {
  /** `held` is an older value, if there is one. */
  read(signal: AbortSignal, held: T | undefined): Promise<T>;
  untilOf(value: T, now: number): number;
  /** Who has an older value waits no longer for a newer one; unless told, until it is read. */
  readonly waitMs?: number;
}

/** After a read that failed an older value is good for so long. */
const AFTER_FAILURE_MS = 10_000;

/**
 * What a container has read of the store, by key, each value until a newer one may be there. One read at a time for each
 * key. A value that cannot be read again stays, because what it says is as true as before.
 *
 * A container is frozen between events: a read that stood still for longer than `readMs` has a connection that cannot be
 * trusted, and is begun anew. The request that begins it anew waits for it, however short its `waitMs` is: where requests
 * are rarer than that, no read would ever end otherwise.
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

  /** The value at hand, or read. Throws what reading throws if there is none. */
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
    value.catch(() => {}); // told to whoever waits
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
