import type { Address } from '../../../shared/evm/address.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import type { Payload } from '../../../shared/evm/payload.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { UniswapNode } from '../deployments.ts';
import { swapCall } from './calldata.ts';
import { payloadOf } from './payload.ts';
import { type Quote, type QuoteData, quote, quoteData, type Trade } from './quote.ts';
import { shortfall } from './shortfall.ts';

interface SwapRequest {
  readonly trade: Trade;
  readonly recipient: Address;
  /** Will sign, and pays the input. */
  readonly sender: Address;
  /** Hundredths of a percent by which the price may get worse. */
  readonly slippageBps: number;
  readonly deadlineSeconds: number;
}

export interface SwapData extends Payload {
  readonly minAmountOut: string;
  readonly quote: QuoteData;
}

const BPS = 10_000n;

/**
 * A V2 pair notes two cumulative prices with the first swap of a second (UniswapV2Pair, _update), so a node that
 * estimates in the second of the pair's last change leaves that out. In a new pair both writes turn a zero into a
 * value: 20,000 gas each, and 2,100 for a slot not touched before (EIP-2200, EIP-2929). The estimate does not say
 * whether it holds them.
 */
const V2_PRICES_GAS = 2n * (20_000n + 2_100n);

/** The least that the sender accepts, rounded down, and never nothing. */
function minAmountOf(amountOut: bigint, slippageBps: number): bigint {
  const minimum = (amountOut * (BPS - BigInt(slippageBps))) / BPS;
  return minimum > 0n ? minimum : 1n;
}

/** The unsigned swap of the best route. Throws as `quote`, and 400 with what is lacking if it would fail. */
export async function swap(node: UniswapNode, request: SwapRequest, deadline: number): Promise<SwapData> {
  const quoted = await quote(node, request.trade, deadline);
  const minAmountOut = minAmountOf(quoted.amountOut, request.slippageBps);
  const minedBy = BigInt(Math.floor(Date.now() / 1000) + request.deadlineSeconds);
  const terms = { recipient: request.recipient, minAmountOut, deadline: minedBy };
  const call = { ...swapCall(node.chain, quoted, terms), from: request.sender };
  const unestimated = quoted.type === 'v2' ? V2_PRICES_GAS * BigInt(quoted.hops.length) : 0n;
  const payload = await payloadOf(node, call, deadline, unestimated).catch((error: unknown) =>
    explain(node, quoted, request.sender, error, deadline),
  );
  return { ...payload, minAmountOut: String(minAmountOut), quote: quoteData(node.chain, quoted) };
}

async function explain(
  node: UniswapNode,
  quoted: Quote,
  sender: Address,
  error: unknown,
  deadline: number,
): Promise<never> {
  const wouldFail = error instanceof NodeError && /^(reverted|insufficient-funds|other)$/.test(error.kind);
  const lack = wouldFail ? await shortfall(node, quoted, sender, deadline) : undefined;
  throw lack ? new ApiError(400, lack, { cause: error }) : error;
}
