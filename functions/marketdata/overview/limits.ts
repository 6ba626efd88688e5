/** Gainers and losers, each. */
export const MOVERS = 10;
/** The coins by rank that they are looked for among: below, a few hundred dollars move a price. */
export const AMONG = 500;
