import type { EntryFilter } from '../entries.ts';
import type { RegistryLookups } from '../lookups.ts';

/**
 * Costs of matches, in steps of a tenth of a bit: roughly how much less often somebody who types the text means the
 * entry. An entry's total is the cost of its match plus that of its place in the registry's order. An exact match of a
 * whole symbol, name or id costs its place alone, so `dog` finds Dogecoin before a coin that is little known by that symbol.
 */
export const cost = {
  /** The term goes on after the text … */
  prefix: 30,
  /** … or begins before it. */
  inside: 35,
  /** The most for the part of the term that is not matched. */
  openEnd: 10,
  /** Typing errors, by their number; the second has to outweigh any difference in rank. */
  errors: [0, 100, 210],
  /** The text is a word of the name, not all of it. */
  word: 20,
  /** The words of the query match one by one, not as a whole. */
  words: 15,
  /** The most for the part of the name that is not matched. */
  uncovered: 25,
  /** The word occurs only in the id. */
  idWord: 45,
} as const;

/** The cost of matching only `covered` of a name's letters. */
export function uncoveredCost(covered: number, letters: number): number {
  return covered >= letters ? 0 : Math.floor((cost.uncovered * (letters - covered)) / letters);
}

const RANK_STEP = 6;
export const MOST_FOR_RANK = 80;
const UNRANKED = 85;
const INACTIVE = 95;

/**
 * The cost of a row's place: 0.6 bits for each doubling of the rank. Attention falls about as 1/rank; a whole bit
 * would let famous coins with two errors pass obscure ones with one.
 */
function placeCost(row: number, { rankedCount, activeCount }: RegistryLookups): number {
  if (row >= activeCount) return INACTIVE;
  if (row >= rankedCount) return UNRANKED;
  return Math.min(MOST_FOR_RANK, RANK_STEP * (31 - Math.clz32(row + 1)));
}

/** A row with its total cost. */
export interface Ranked {
  readonly row: number;
  readonly total: number;
}

/** The rows that match, each with its lowest cost. Made once, because it is as long as the registry, and cleared. */
export class RowCosts {
  /** The rows in the order in which they were offered first. */
  readonly rows: number[] = [];
  readonly #lookups: RegistryLookups;
  /** Cost + 1; 0 for a row that does not match. */
  readonly #costs: Uint16Array;
  readonly #covered: Uint16Array;

  constructor(lookups: RegistryLookups) {
    this.#lookups = lookups;
    this.#costs = new Uint16Array(lookups.size);
    this.#covered = new Uint16Array(lookups.size);
  }

  /** Adds a match of a row unless it has a cheaper one. `covered` is the number of the name's letters that match. */
  offer(row: number, cost: number, covered = 0): void {
    const best = this.#costs[row];
    if (best === undefined || (best !== 0 && best <= cost + 1)) return;
    if (best === 0) this.rows.push(row);
    this.#costs[row] = cost + 1;
    this.#covered[row] = covered;
  }

  has(row: number): boolean {
    return (this.#costs[row] ?? 0) !== 0;
  }

  costOf(row: number): number {
    return (this.#costs[row] ?? 0) - 1;
  }

  coveredOf(row: number): number {
    return this.#covered[row] ?? 0;
  }

  /** The `limit` cheapest rows that the filter lets through, cheapest first, equals in the registry's order. */
  top(limit: number, filter: EntryFilter): Ranked[] {
    const { size } = this.#lookups;
    const keys: number[] = [];
    let worst = Number.POSITIVE_INFINITY;
    for (const row of this.rows) {
      const cost = this.costOf(row);
      const key = (cost + placeCost(row, this.#lookups)) * size + row;
      if (key >= worst || !this.#lookups.passes(row, filter)) continue;
      let at = keys.length < limit ? keys.length : limit - 1;
      for (; at > 0 && (keys[at - 1] ?? 0) > key; at--) keys[at] = keys[at - 1] ?? 0;
      keys[at] = key;
      if (keys.length === limit) worst = keys[limit - 1] ?? 0;
    }
    return keys.map((key) => ({ row: key % size, total: Math.floor(key / size) }));
  }

  clear(): void {
    for (const row of this.rows) this.#costs[row] = 0;
    this.rows.length = 0;
  }
}
