/** Values that a container keeps, within bounds. */
import { elapsedMs } from './time.ts';

/** Makes a value once for each key of a container, and drops it with the key. */
export function oncePer<Key extends object, Value extends object>(
  make: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const value = values.get(key) ?? make(key);
    values.set(key, value);
    return value;
  };
}

/** Values by key within a number of bytes; the least recently used ones make room for new ones. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: Value) => number;
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  /** `bytesOf` returns the size of a value; by default it is estimated as JSON data. */
  constructor(maxBytes: number, bytesOf: (value: Value) => number = bytesInMemory) {
    this.#maxBytes = maxBytes;
    this.#bytesOf = bytesOf;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Keeps the value, unless it is larger than the whole cache may be. */
  set(key: string, value: Value): void {
    this.delete(key);
    const bytes = this.#bytesOf(value) + bytesInMemory(key);
    if (bytes > this.#maxBytes) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

/**
 * The memory of JSON data, a rough and rather high estimate: V8 has a header of 16 to 24 bytes for each object, list
 * and text, 8 bytes for each reference, and 16 for a number with a fraction.
 */
export function bytesInMemory(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (ArrayBuffer.isView(value)) return 100 + value.byteLength;
  if (typeof value !== 'object' || value === null) return 16;
  const values = value instanceof Map ? [...value].flat() : Object.values(value);
  return values.reduce((sum: number, item: unknown) => sum + 8 + bytesInMemory(item), 24);
}

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

/** Puts the entry at the end of the map's order and removes the first entries above the limit. */
export function putBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= maxEntries) return;
    map.delete(oldest);
  }
}
