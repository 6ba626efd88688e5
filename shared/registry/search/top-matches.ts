import type { EntryFilter } from '../entries.ts';
import type { RegistryLookups } from '../lookups.ts';
import { placeCost } from './costs.ts';

/** A row with its total cost: 0 for an exact match. */
export interface Ranked {
  readonly row: number;
  readonly total: number;
}

/** Collects the lowest cost of each row that a query matches. One for all queries; emptied after each. */
export class TopMatches {
  readonly #lookups: RegistryLookups;
  /** Cost + 1; 0 for a row that does not match. */
  readonly #best: Uint16Array;
  readonly #rows: Uint32Array;
  #count = 0;

  constructor(lookups: RegistryLookups) {
    this.#lookups = lookups;
    this.#best = new Uint16Array(lookups.size);
    this.#rows = new Uint32Array(lookups.size);
  }

  /** Takes a match of a row into account. Only an exact one may cost 0. */
  offer(row: number, cost: number): void {
    const best = this.#best[row];
    if (best === 0) {
      this.#rows[this.#count++] = row;
      this.#best[row] = cost + 1;
    } else if (best !== undefined && cost + 1 < best) {
      this.#best[row] = cost + 1;
    }
  }

  /** The `limit` cheapest rows that the filter lets through, cheapest first, equals in the registry's order. */
  top(limit: number, filter: EntryFilter): Ranked[] {
    const { size, rankedCount, activeCount } = this.#lookups;
    const keys: number[] = [];
    let worst = Number.POSITIVE_INFINITY;
    for (let index = 0; index < this.#count; index++) {
      const row = this.#rows[index] ?? 0;
      const cost = (this.#best[row] ?? 0) - 1;
      const key = (cost === 0 ? 0 : cost + placeCost(row, rankedCount, activeCount)) * size + row;
      if (key >= worst || !this.#lookups.passes(row, filter)) continue;
      let at = keys.length < limit ? keys.length : limit - 1;
      for (; at > 0 && (keys[at - 1] ?? 0) > key; at--) keys[at] = keys[at - 1] ?? 0;
      keys[at] = key;
      if (keys.length === limit) worst = keys[limit - 1] ?? 0;
    }
    return keys.map((key) => ({ row: key % size, total: Math.floor(key / size) }));
  }

  clear(): void {
    for (let index = 0; index < this.#count; index++) this.#best[this.#rows[index] ?? 0] = 0;
    this.#count = 0;
  }
}
