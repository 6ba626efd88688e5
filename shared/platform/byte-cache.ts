/** Values by key within a number of bytes; the least recently used ones make room for new ones. */
export class ByteCache<Value> {
  readonly #maxBytes: number;
  readonly #bytesOf: (value: Value) => number;
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  /** `bytesOf` returns the size of a value; by default it is estimated as JSON data. */
  constructor(maxBytes: number, bytesOf: (value: Value) => number = bytesInMemory) {
    [this.#maxBytes, this.#bytesOf] = [maxBytes, bytesOf];
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
