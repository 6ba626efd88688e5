import type { Issues, SwapPayload } from '../../../shared/evm/contract.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { type Address, shown } from '../../../shared/evm/values.ts';
import type { UniswapNode } from '../deployments.ts';
import { type SwapCall, swapCall } from './calldata.ts';
import { bestTried, type Candidate, delivers } from './candidates.ts';
import { type Holdings, holdingsOf, issuesOf } from './issues.ts';
import { type Bounds, minimumOf } from './minimum.ts';
import { type Quote, rankedQuotes, type Trade } from './quote.ts';
import { type QuoteData, quoteData } from './quote-data.ts';
import { assertParties } from './recipients.ts';
import { swapSummary } from './summary.ts';
import { estimatedSwap, unestimatedSwap } from './swap-gas.ts';
import { type Outcome, tryAll } from './trial.ts';

interface SwapRequest extends Bounds {
  readonly trade: Trade;
  readonly recipient: Address;
  /** Will sign, and pays the input. */
  readonly sender: Address;
  readonly deadlineSeconds: number;
}

export interface SwapData extends SwapPayload {
  /** Unix time in seconds. */
  readonly deadline: number;
  readonly issues: Issues;
  readonly quote: QuoteData;
}

/**
 * The unsigned swap by the route that delivers most when it is tried; what the sender lacks is in `issues`. Throws as
 * `rankedQuotes`, `bestTried` and `minimumOf`.
 */
export async function swap(node: UniswapNode, request: SwapRequest, deadline: number): Promise<SwapData> {
  const { chain } = node;
  const { trade, sender, recipient } = request;
  assertParties(chain, request);
  const quotes = await rankedQuotes(node, trade, deadline);
  const minedBy = Math.floor(Date.now() / 1000) + request.deadlineSeconds;
  const callOf = (quote: Quote, minAmountOut: bigint, isUntried = false) =>
    swapCall(chain, quote, { sender, recipient, minAmountOut, deadline: BigInt(minedBy), isUntried });

  const calls = quotes.map((quote) => callOf(quote, 0n));
  const spenders = [...new Set(calls.flatMap(({ spender }) => spender ?? []))];
  const [outcomes, holdings] = await Promise.all([
    tryAll(node, { trade, sender, recipient, calls }, quotes[0].block.number, deadline),
    holdingsOf(node, trade, sender, spenders, deadline),
  ]);
  const candidates = quotes.map((quote, index) => ({ quote, outcome: outcomes?.[index] }));
  const simulation =
    untried(node, request, holdings, outcomes) ??
    (await refusedForItsCode(node, request, holdings, candidates, callOf(quotes[0], 1n, true), deadline));
  const chosen: Candidate = simulation
    ? { quote: quotes[0], outcome: undefined }
    : bestTried(chain, trade, candidates);

  const { quote, outcome } = chosen;
  const amountOut = outcome?.delivered ?? quote.amountOut;
  const said = quoteData(chain, { ...quote, amountOut });
  const bounds = quote.kind === 'pools' ? request : { ...request, slippageBps: 0 };
  const minAmountOut = minimumOf(amountOut, said.priceImpact, bounds);
  // The common tokens keep nothing.
  const isUntried = simulation !== null && !chain.uniswap.intermediates.includes(trade.tokenOut.address);
  const call = callOf(quote, minAmountOut, isUntried);
  const issues = issuesOf(node, trade, holdings, call.spender, simulation);
  const payload = await (issues.allowance || issues.balance
    ? unestimatedSwap(node, call, chosen, deadline)
    : estimatedSwap(node, call, sender, chosen, deadline));
  return {
    ...payload,
    chainId: chain.chainId,
    from: sender,
    recipient,
    spender: call.spender,
    deadline: minedBy,
    minAmountOut: String(minAmountOut),
    summary: swapSummary(chain, quote, minAmountOut, recipient),
    issues,
    quote: said,
  };
}

/**
 * Some tokens are not sent to an account that has code, as the trial gives it to the sender: where nothing else is in the
 * way, the node is asked what it makes of the call without. Null unless that succeeds.
 */
async function refusedForItsCode(
  node: UniswapNode,
  { trade, sender }: SwapRequest,
  holdings: Holdings,
  candidates: readonly Candidate[],
  { to, data, value, spender }: SwapCall,
  deadline: number,
): Promise<string | null> {
  if (candidates.some(delivers)) return null;
  const { allowance, balance } = issuesOf(node, trade, holdings, spender, null);
  if (allowance || balance) return null;
  try {
    await node.estimateGas({ from: sender, to, data, value }, deadline);
  } catch (error) {
    if (error instanceof NodeError && !error.isOutage) return null;
    throw error;
  }
  return `The swap fails in a trial, which gives ${sender} code, and not without: amounts are those of the quote`;
}

/** Why the swap could not be tried; null if it was. */
function untried(
  { chain }: UniswapNode,
  { trade, sender }: SwapRequest,
  { balance }: Holdings,
  outcomes: readonly (Outcome | undefined)[] | undefined,
): string | null {
  const amounts = 'amounts are those of the quote';
  if (!outcomes)
    return `The ${chain.name} node does not try calls on other state (state overrides): ${amounts}`;
  const { tokenIn, amountIn } = trade;
  if (!tokenIn.isNative && balance !== undefined && balance < amountIn) {
    return `${sender} has too little of ${shown(chain, tokenIn)} to try the swap: ${amounts}`;
  }
  if (outcomes.some((outcome) => outcome !== undefined)) return null;
  return `The swap needs more gas than a trial may use, or a token does not tell what it holds: ${amounts}`;
}
