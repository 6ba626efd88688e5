import { putBounded } from '../../../shared/platform/bounded-map.ts';

/**
 * 0x is paid by the request, and a price that is asked for while somebody types is asked for again and again. Chains make
 * a block in up to twelve seconds. What is to be signed is never kept.
 */
const KEPT_MS = 3_000;
const MAX_KEPT = 200;

/** Values of this container for three seconds; equal requests share one load, and failures are not kept. */
export class PriceCache<T> {
  readonly #kept = new Map<string, { readonly at: number; readonly value: Promise<T> }>();

  get(key: string, load: () => Promise<T>, now = Date.now()): Promise<T> {
    const known = this.#kept.get(key);
    if (known && Math.abs(now - known.at) < KEPT_MS) return known.value;
    const entry = { at: now, value: load() };
    putBounded(this.#kept, key, entry, MAX_KEPT);
    entry.value.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
    });
    return entry.value;
  }
}
