import type { Payload } from '../../../shared/evm/contract.ts';
import type { Node } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';
import type { SwapCall } from './calldata.ts';
import type { Candidate } from './candidates.ts';
import { NOBODY, payloadOf, withGas } from './payload.ts';

/**
 * A V2 pair notes two cumulative prices with the first swap of a second (UniswapV2Pair, _update), so a node that
 * estimates in the second of the pair's last change leaves that out. In a new pair both writes turn a zero into a
 * value: 20,000 gas each, and 2,100 for a slot not touched before (EIP-2200, EIP-2929). The estimate does not say
 * whether it holds them.
 */
const V2_PRICES_GAS = 2n * (20_000n + 2_100n);
/**
 * A trial reads balances and writes the allowance just before the swap, which then pays less for them (EIP-2929): two
 * accounts of 2,600 each, five slots of 2,100, and 2,900 for writing one of them.
 */
const WARMED_GAS = 20_000n;

/** The swap as the sender's transaction. Throws NodeError if the node finds that it would fail. */
export function estimatedSwap(
  node: Node,
  { to, data, value }: SwapCall,
  sender: Address,
  { quote }: Candidate,
  deadline: number,
): Promise<Payload> {
  return payloadOf(node, { from: sender, to, data, value }, deadline, pricesGas(quote));
}

/** The swap of a sender who lacks something, for whom no node estimates: with the gas of the trial or of the quote. */
export async function unestimatedSwap(
  node: Node,
  { to, data, value }: SwapCall,
  { quote, outcome }: Candidate,
  deadline: number,
): Promise<Payload> {
  // What any transaction with this data uses, on rollups also for its place in the chain below.
  const intrinsic = await node.estimateGas({ from: NOBODY, to: NOBODY, data }, deadline);
  const used = outcome ? outcome.gasUsed + WARMED_GAS : 2n * quote.gas;
  return withGas({ to, data, value }, intrinsic + used, pricesGas(quote));
}

function pricesGas({ hops }: Candidate['quote']): bigint {
  return V2_PRICES_GAS * BigInt(hops.filter(({ type }) => type === 'v2').length);
}
