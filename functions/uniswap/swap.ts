import type { Issues } from '../../shared/evm/contract.ts';
import { NodeError } from '../../shared/evm/node-error.ts';
import { type Address, shown } from '../../shared/evm/values.ts';
import type { DataOf } from '../../shared/http/route.ts';
import { assertParties, type Bounds, minimumOf, type Parties } from './bounds.ts';
import { type SwapCall, swapCall } from './calldata.ts';
import { isKnown, type UniswapNode } from './deployments.ts';
import { estimated, unestimated } from './gas.ts';
import { readAll, word } from './multicall.ts';
import { type Quote, quoteData, rankedQuotes, type Trade } from './quote.ts';
import { swapSummary } from './summary.ts';
import type { route } from './swap/route.ts';
import { tokenCalls } from './tokens.ts';
import { bestTried, type Candidate, delivers, tryQuotes } from './trial.ts';

interface SwapRequest extends Parties, Bounds {
  readonly deadlineSeconds: number;
}

export type SwapData = DataOf<typeof route>;

/**
 * The unsigned swap by the route with the best trial; `issues` lists what the sender lacks. Throws as `assertParties`,
 * `rankedQuotes`, `bestTried` and `minimumOf`.
 */
export async function swap(node: UniswapNode, request: SwapRequest, deadline: number): Promise<SwapData> {
  const { chain } = node;
  const { trade, sender, recipient } = request;
  assertParties(chain, request);
  const quotes = await rankedQuotes(node, trade, deadline);
  const [best] = quotes;
  const minedBy = Math.floor(Date.now() / 1000) + request.deadlineSeconds;
  const callOf = (quote: Quote, minAmountOut: bigint, isUntried = false) =>
    swapCall(chain, quote, { sender, recipient, minAmountOut, deadline: BigInt(minedBy), isUntried });

  const spenders = new Set(quotes.flatMap((quote) => callOf(quote, 0n).spender ?? []));
  const [candidates, holdings] = await Promise.all([
    tryQuotes(node, quotes, request, deadline),
    holdingsOf(node, request, [...spenders], deadline),
  ]);
  const simulation =
    untried(node, request, holdings, candidates) ??
    (await refusedForItsCode(node, request, holdings, candidates, callOf(best, 1n, true), deadline));
  const isTried = candidates !== undefined && simulation === null;
  const { quote, outcome }: Candidate = isTried
    ? bestTried(chain, trade, candidates)
    : { quote: best, outcome: undefined };

  const shownQuote = quoteData(chain, quote, outcome?.delivered);
  const bounds = quote.kind === 'pools' ? request : { ...request, slippageBps: 0 };
  const minAmountOut = minimumOf(outcome?.delivered ?? quote.amountOut, shownQuote.priceImpact, bounds);
  const call = callOf(quote, minAmountOut, !isTried && !isKnown(chain, trade.tokenOut.address));
  const { spender, ...transaction } = call;
  const issues = issuesOf(node, trade, holdings, spender, simulation);
  const payload = await (issues.allowance || issues.balance
    ? unestimated(node, transaction, deadline, quote, outcome?.gasUsed)
    : estimated(node, { from: sender, ...transaction }, deadline, quote.hops));
  return {
    ...payload,
    chainId: chain.chainId,
    from: sender,
    recipient,
    spender,
    deadline: minedBy,
    minAmountOut: String(minAmountOut),
    summary: swapSummary(chain, quote, minAmountOut, recipient),
    issues,
    quote: shownQuote,
  };
}

/** A sender's balance of the input and each spender's allowance: in base units, undefined if the token does not report it. */
interface Holdings {
  readonly balance: bigint | undefined;
  readonly allowances: ReadonlyMap<Address, bigint | undefined>;
}

/** Throws node failures. */
async function holdingsOf(
  node: UniswapNode,
  { trade: { tokenIn }, sender }: SwapRequest,
  spenders: readonly Address[],
  deadline: number,
): Promise<Holdings> {
  if (tokenIn.isNative) {
    const balance = await node.quantity('eth_getBalance', [sender, 'latest'], deadline);
    return { balance, allowances: new Map() };
  }
  const calls = [
    tokenCalls.balanceOf(sender),
    ...spenders.map((spender) => tokenCalls.allowance(sender, spender)),
  ];
  const reads = calls.map((data) => ({ to: tokenIn.address, data }));
  const answers = await readAll(node, reads, 'latest', deadline);
  const [balance, ...allowances] = answers.map((answer) => answer && word(answer, 0));
  return { balance, allowances: new Map(spenders.map((spender, index) => [spender, allowances[index]])) };
}

/** What the sender lacks for the trade; `simulation` says why there was no trial. */
function issuesOf(
  { chain }: UniswapNode,
  { tokenIn, amountIn }: Trade,
  { balance, allowances }: Holdings,
  spender: Address | null,
  simulation: string | null,
): Issues {
  const required = String(amountIn);
  const allowance = spender === null ? undefined : allowances.get(spender);
  return {
    allowance:
      spender !== null && allowance !== undefined && allowance < amountIn
        ? { actual: String(allowance), required, spender }
        : null,
    balance:
      balance !== undefined && balance < amountIn
        ? { token: shown(chain, tokenIn), actual: String(balance), required }
        : null,
    simulation,
  };
}

/** Why there was no trial; null if there was one. */
function untried(
  { chain }: UniswapNode,
  { trade, sender }: SwapRequest,
  { balance }: Holdings,
  candidates: readonly Candidate[] | undefined,
): string | null {
  const amounts = 'amounts are those of the quote';
  if (!candidates)
    return `The ${chain.name} node does not try calls on other state (state overrides): ${amounts}`;
  const { tokenIn, amountIn } = trade;
  if (!tokenIn.isNative && balance !== undefined && balance < amountIn) {
    return `${sender} has too little of ${shown(chain, tokenIn)} to try the swap: ${amounts}`;
  }
  if (candidates.some(({ outcome }) => outcome !== undefined)) return null;
  return `The swap needs more gas than a trial may use, or a token does not report balances: ${amounts}`;
}

/**
 * Some tokens reject transfers to accounts with code, which the sender has in the trial: if nothing else is missing,
 * the node estimates the call without it. Null unless that succeeds.
 */
async function refusedForItsCode(
  node: UniswapNode,
  { trade, sender }: SwapRequest,
  holdings: Holdings,
  candidates: readonly Candidate[] | undefined,
  { spender, ...transaction }: SwapCall,
  deadline: number,
): Promise<string | null> {
  if (candidates?.some(delivers)) return null;
  const { allowance, balance } = issuesOf(node, trade, holdings, spender, null);
  if (allowance || balance) return null;
  try {
    await node.estimateGas({ from: sender, ...transaction }, deadline);
  } catch (error) {
    if (error instanceof NodeError && !error.isOutage) return null;
    throw error;
  }
  return `The swap fails in a trial, which gives ${sender} code, and not without: amounts are those of the quote`;
}
