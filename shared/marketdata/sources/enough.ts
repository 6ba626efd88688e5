/** How far a market may be off a coin's ticker, as parts of its price: to agree, and beyond which it is another coin. */
export const OFF = { agrees: 0.02, far: 0.05 } as const;

/** In snapshots, each of another time. */
export const ENOUGH = {
  /** To be taken for a market's coin. */
  agreed: 3,
  /** So many more for each better-ranked coin that has not been shown to be another one. */
  moreInDoubt: 6,
  /** Far off: a market loses its coin, and another coin is not the one that the symbol means. */
  far: 3,
  /** A day of the default interval: to lose the market without agreement, or to a better-ranked coin. */
  lasting: 144,
} as const;
