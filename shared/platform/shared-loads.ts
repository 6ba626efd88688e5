import { putBounded } from './bounded-map.ts';
import { elapsedMs } from './time.ts';

/** Values of this container for a short time; equal requests share one load, and failures are not kept. */
export class SharedLoads<T> {
  readonly #kept = new Map<string, { readonly at: number; readonly value: Promise<T> }>();
  readonly #keptMs: number;
  readonly #maxEntries: number;

  constructor(keptMs: number, maxEntries: number) {
    this.#keptMs = keptMs;
    this.#maxEntries = maxEntries;
  }

  get(key: string, load: () => Promise<T>, now = Date.now()): Promise<T> {
    const known = this.#kept.get(key);
    if (known && elapsedMs(known.at, now) < this.#keptMs) return known.value;
    const entry = { at: now, value: load() };
    putBounded(this.#kept, key, entry, this.#maxEntries);
    entry.value.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry.value;
  }
}
