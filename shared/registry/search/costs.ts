/**
 * Costs of matches, in steps of a tenth of a bit: roughly how much less often somebody who types the text means the
 * entry. An entry's total is that of its match plus that of its place in the registry's order.
 * Exact matches of a whole symbol, name or id stand outside of this: they come first, in the registry's order.
 */
export const cost = {
  /** The term goes on after the text … */
  prefix: 30,
  /** … or begins before it. */
  inside: 35,
  /** Up to this much more by the part of the term that the text leaves open. */
  openEnd: 10,
  /** Typing errors; the second has to outweigh any difference in rank. */
  errors: [0, 100, 210],
  /** A word of the name, not all of it. */
  word: 20,
  /** The words of the query one by one, not as the name has them. */
  words: 15,
  /** Up to this much more by the part of the name that is not matched. */
  uncovered: 25,
  /** A word that only the id has. */
  idWord: 45,
} as const;

const RANK_STEP = 6;
export const MOST_FOR_RANK = 80;
const UNRANKED = 85;
const INACTIVE = 95;

/**
 * The cost of a row's place: 0.6 bits for each doubling of the rank. Attention falls about as 1/rank; a whole bit
 * would let famous coins with two errors pass obscure ones with one.
 */
export function placeCost(row: number, rankedCount: number, activeCount: number): number {
  if (row >= activeCount) return INACTIVE;
  if (row >= rankedCount) return UNRANKED;
  return Math.min(MOST_FOR_RANK, RANK_STEP * (31 - Math.clz32(row + 1)));
}
