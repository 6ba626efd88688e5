/** Ranks of coins, from 1 on; 0 and undefined: there is none. */
interface Ranked {
  readonly rank?: number | undefined;
}

/** Coins up to this rank are meant by their symbols, whatever else is called so. */
const WELL_KNOWN = 100;
/** Who has so many times the rank is far less known. */
const FAR = 5;

export function isWellKnown(coin: Ranked): boolean {
  return placeOf(coin) <= WELL_KNOWN;
}

export function isFarBetter(coin: Ranked, other: Ranked): boolean {
  return placeOf(coin) * FAR <= placeOf(other) && placeOf(coin) < placeOf(other);
}

/** The rank, behind all others if there is none. */
export function placeOf({ rank }: Ranked): number {
  return rank || Number.POSITIVE_INFINITY;
}
