import type { Hop } from './pools.ts';

/** Of the transaction, the router, and the input's way into the first pool, from its owner or wrapped on the way. */
const SWAP = 69_000n;
/** Of a pair: its swap, its notes of two prices, and the transfer of what it pays. */
const V2_HOP = 55_000n;
/** Of a pool of V3, against what the quoter says of it: the router writes to fewer slots that were empty before. */
const V3_HOP = -15_000n;
/** Between the versions the router holds the token itself. */
const CHANGE = 10_000n;

/**
 * Units of gas for a recipient who holds none of the output yet, measured with swaps on a local chain; `quoted` is what
 * the quoter says of the pools of V3. Rollups charge for a transaction's bytes besides.
 */
export function gasOf(hops: readonly Hop[], quoted: bigint): bigint {
  const pairs = BigInt(hops.filter(({ type }) => type === 'v2').length);
  const pools = BigInt(hops.length) - pairs;
  const change = pairs > 0n && pools > 0n ? CHANGE : 0n;
  return SWAP + pairs * V2_HOP + pools * V3_HOP + change + quoted;
}

/** Of the two calls of the wrapped token itself. */
export const WRAP_GAS = { wrap: 45_000n, unwrap: 35_000n } as const;
