import { putBounded } from '../../platform/bounded-map.ts';

interface Held<T> {
  readonly value: T;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly readAt: number;
}

const MAX_HELD = 500;
/** After a read that failed an older value is good for so long, if there is one. */
const AFTER_FAILURE_MS = 10_000;

/**
 * What a container has read of the store, each until a newer one may be there: closed candles do not change. One that
 * cannot be read again stays, because what it says is as true as before.
 */
export class HeldObjects<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #reading = new Map<string, Promise<T>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * The value at hand, or read, once for all who ask meanwhile. Throws what reading throws if there is none. `untilOf`
   * says how long it is good.
   */
  async get(key: string, read: () => Promise<T>, untilOf: (value: T, now: number) => number): Promise<T> {
    const known = this.#held.get(key);
    const now = this.#now();
    // A clock that was set back must not keep a value for longer.
    if (known && now < known.until && now >= known.readAt) return known.value;
    const reading =
      this.#reading.get(key) ??
      this.#read(key, read, untilOf, known).finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #read(
    key: string,
    read: () => Promise<T>,
    untilOf: (value: T, now: number) => number,
    known: Held<T> | undefined,
  ): Promise<T> {
    try {
      const value = await read();
      const readAt = this.#now();
      putBounded(this.#held, key, { value, until: untilOf(value, readAt), readAt }, MAX_HELD);
      return value;
    } catch (error) {
      if (!known) throw error;
      const readAt = this.#now();
      this.#held.set(key, { ...known, until: readAt + AFTER_FAILURE_MS, readAt });
      return known.value;
    }
  }

  forget(key: string): void {
    this.#held.delete(key);
  }
}
