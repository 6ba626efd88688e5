import { StoreError } from '../binary-file.ts';

const MAX_SOURCES = 65_536;

/** The names of a file's sources. Candles refer to their positions, so none is ever moved. */
export class SourceList {
  readonly names: string[];
  readonly #places: Map<string, number>;

  constructor(names: readonly string[] = []) {
    this.names = [...names];
    this.#places = new Map(names.map((name, place) => [name, place]));
  }

  /** Adds a new name. Throws StoreError if there are more than a candle can refer to. */
  placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    if (this.names.length >= MAX_SOURCES) throw new StoreError(`Candles: more than ${MAX_SOURCES} sources`);
    this.#places.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}
