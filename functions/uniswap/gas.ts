/** The gas of a swap: an estimate for a quote, an upper bound for a transaction. */
import type { Payload } from '../../shared/evm/contract.ts';
import type { CallRequest, Node } from '../../shared/evm/node.ts';
import type { Address } from '../../shared/evm/values.ts';
import type { Path } from './pools.ts';

/** The transaction, the router, and the transfer of the input to the first pool, from its owner or after wrapping. */
const SWAP = 69_000n;
/** A pair: its swap, its updates of two prices, and the transfer of its output. */
const V2_HOP = 55_000n;
/** A V3 pool, relative to the quoter's figure: the router writes to fewer empty slots. */
const V3_HOP = -15_000n;
/** Between versions, the router holds the token itself. */
const CHANGE = 10_000n;

const pairsIn = (hops: Path): bigint => BigInt(hops.filter(({ type }) => type === 'v2').length);

/**
 * Units of gas for a recipient who holds none of the output yet, measured with swaps on a local chain; `quoted` is the
 * quoter's figure for V3 pools. Rollups also charge for a transaction's bytes.
 */
export function gasOf(hops: Path, quoted: bigint): bigint {
  const pairs = pairsIn(hops);
  const pools = BigInt(hops.length) - pairs;
  const change = pairs > 0n && pools > 0n ? CHANGE : 0n;
  return SWAP + pairs * V2_HOP + pools * V3_HOP + change + quoted;
}

/** The gas of the wrapped token's own two calls. */
export const WRAP_GAS = { wrap: 45_000n, unwrap: 35_000n } as const;

/** An account without balances and allowances, which pays the most gas. */
export const NOBODY: Address = '0x000000000000000000000000000000000000dEaD';

/**
 * A V2 pair updates two cumulative prices with the first swap of a second (UniswapV2Pair, _update), so a node that
 * estimates in the second of the pair's last change omits them. In a new pair both writes turn a zero into a value:
 * 20,000 gas each, and 2,100 for a slot not touched before (EIP-2200, EIP-2929). The estimate does not show whether it
 * includes them.
 */
const V2_PRICES = 2n * (20_000n + 2_100n);
/**
 * A trial reads balances and writes the allowance just before the swap, which then pays less for them (EIP-2929): two
 * accounts of 2,600 each, five slots of 2,100, and 2,900 for writing one of them.
 */
const WARMED = 20_000n;

/** The gas of a transaction that its sender could send now, by the node's estimate. Throws NodeError if it would fail. */
export async function estimated(
  node: Node,
  call: CallRequest,
  deadline: number,
  hops: Path = [],
): Promise<Payload> {
  return withGas(call, await node.estimateGas(call, deadline), hops);
}

/** The gas of a swap whose sender lacks something, so that nodes cannot estimate it: from the trial or the quote. */
export async function unestimated(
  node: Node,
  call: CallRequest,
  deadline: number,
  { hops, gas }: { readonly hops: Path; readonly gas: bigint },
  tried: bigint | undefined,
): Promise<Payload> {
  // The cost of any transaction with this data, on rollups including its data on the parent chain.
  const intrinsic = await node.estimateGas({ from: NOBODY, to: NOBODY, data: call.data }, deadline);
  return withGas(call, intrinsic + (tried === undefined ? 2n * gas : tried + WARMED), hops);
}

/**
 * Adds the larger of two margins: a fifth of the estimate, because state changes before the transaction is mined; or
 * the gas that the estimate may lack for V2 pairs, plus a tenth of both.
 */
function withGas({ to, data, value = 0n }: CallRequest, estimate: bigint, hops: Path): Payload {
  const withMargin = percent(120n, estimate);
  const floor = percent(110n, estimate + V2_PRICES * pairsIn(hops));
  return { to, data, value: String(value), gasLimit: String(withMargin > floor ? withMargin : floor) };
}

/** A percentage of the gas, rounded up. */
const percent = (share: bigint, gas: bigint): bigint => (gas * share + 99n) / 100n;
