/** What a swap uses: about, for a quote; at most, for a transaction. */
import type { Payload } from '../../shared/evm/contract.ts';
import type { CallRequest, Node } from '../../shared/evm/node.ts';
import type { Address } from '../../shared/evm/values.ts';
import type { Path } from './pools.ts';

/** Of the transaction, the router, and the input's way into the first pool, from its owner or wrapped on the way. */
const SWAP = 69_000n;
/** Of a pair: its swap, its notes of two prices, and the transfer of what it pays. */
const V2_HOP = 55_000n;
/** Of a pool of V3, against what the quoter says of it: the router writes to fewer slots that were empty before. */
const V3_HOP = -15_000n;
/** Between the versions the router holds the token itself. */
const CHANGE = 10_000n;

const pairsIn = (hops: Path): bigint => BigInt(hops.filter(({ type }) => type === 'v2').length);

/**
 * Units of gas for a recipient who holds none of the output yet, measured with swaps on a local chain; `quoted` is what
 * the quoter says of the pools of V3. Rollups charge for a transaction's bytes besides.
 */
export function gasOf(hops: Path, quoted: bigint): bigint {
  const pairs = pairsIn(hops);
  const pools = BigInt(hops.length) - pairs;
  const change = pairs > 0n && pools > 0n ? CHANGE : 0n;
  return SWAP + pairs * V2_HOP + pools * V3_HOP + change + quoted;
}

/** Of the two calls of the wrapped token itself. */
export const WRAP_GAS = { wrap: 45_000n, unwrap: 35_000n } as const;

/** Has nothing and never allowed anything: what it would pay for is what any account pays at most. */
export const NOBODY: Address = '0x000000000000000000000000000000000000dEaD';

/**
 * A V2 pair notes two cumulative prices with the first swap of a second (UniswapV2Pair, _update), so a node that
 * estimates in the second of the pair's last change leaves that out. In a new pair both writes turn a zero into a
 * value: 20,000 gas each, and 2,100 for a slot not touched before (EIP-2200, EIP-2929). The estimate does not say
 * whether it holds them.
 */
const V2_PRICES = 2n * (20_000n + 2_100n);
/**
 * A trial reads balances and writes the allowance just before the swap, which then pays less for them (EIP-2929): two
 * accounts of 2,600 each, five slots of 2,100, and 2,900 for writing one of them.
 */
const WARMED = 20_000n;

/** The transaction of whoever sends it now, by the node's estimate. Throws NodeError if the node finds that it would fail. */
export async function estimated(
  node: Node,
  call: CallRequest,
  deadline: number,
  hops: Path = [],
): Promise<Payload> {
  return withGas(call, await node.estimateGas(call, deadline), hops);
}

/** The swap of a sender who lacks something, for whom no node estimates: by the gas of the trial or of the quote. */
export async function unestimated(
  node: Node,
  call: CallRequest,
  deadline: number,
  { hops, gas }: { readonly hops: Path; readonly gas: bigint },
  tried: bigint | undefined,
): Promise<Payload> {
  // What any transaction with this data uses, on rollups also for its place in the chain below.
  const intrinsic = await node.estimateGas({ from: NOBODY, to: NOBODY, data: call.data }, deadline);
  return withGas(call, intrinsic + (tried === undefined ? 2n * gas : tried + WARMED), hops);
}

/**
 * With a fifth more than the estimate, because state moves before it is mined; or with the estimate, the gas that it may
 * lack for pairs of V2, and a tenth of both, if that is more.
 */
function withGas({ to, data, value = 0n }: CallRequest, estimate: bigint, hops: Path): Payload {
  const [withMargin, floor] = [percent(120n, estimate), percent(110n, estimate + V2_PRICES * pairsIn(hops))];
  return { to, data, value: String(value), gasLimit: String(withMargin > floor ? withMargin : floor) };
}

/** Rounded up. */
const percent = (share: bigint, gas: bigint): bigint => (gas * share + 99n) / 100n;
