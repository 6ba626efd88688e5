/** Tries routes on the node, as an account that has what the trade takes: what arrives, and which route delivers most. */
import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData, getAddress } from 'viem/utils';
import { NodeError, revertReason } from '../../shared/evm/node-error.ts';
import { type Address, shown, type Token, ZERO_ADDRESS } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { Parties } from './bounds.ts';
import { paidByLastPool, swapCall } from './calldata.ts';
import { swapTrialAbi as abi, swapTrialCode } from './contracts/swap-trial.ts';
import { isKnown, type UniswapChain, type UniswapNode } from './deployments.ts';
import {
  noRoute,
  onceKnown,
  type Quote,
  type QuoteData,
  quoteData,
  rankedQuotes,
  type Trade,
} from './quote.ts';

interface Outcome {
  readonly succeeded: boolean;
  /** The increase of the recipient's balance, in base units of the output. */
  readonly delivered: bigint;
  /** The gas of the call alone, without the base cost of a transaction. */
  readonly gasUsed: bigint;
  /** The call's result, or its revert data. */
  readonly answer: Hex;
}

/** A route with its trial's result; undefined if it could not be tried. */
export interface Candidate {
  readonly quote: Quote;
  readonly outcome: Outcome | undefined;
}

interface TriedCandidate extends Candidate {
  readonly outcome: Outcome;
}

/**
 * The best quote at the newest block, for the response. A trade of ETH or WETH for a token outside the chain's table is
 * tried by an account that has just the ETH, because the token may take a transfer fee; other inputs cannot be tried
 * without a holder. Throws as `rankedQuotes`, and 404 if no route can enforce a minimum.
 */
export async function bestQuote(node: UniswapNode, trade: Trade, deadline: number): Promise<QuoteData> {
  const { chain } = node;
  const quotes = await rankedQuotes(node, trade, deadline);
  const { tokenIn, tokenOut } = trade;
  const isTryable = tokenIn.address === chain.wrappedNative && !isKnown(chain, tokenOut.address);
  if (!isTryable) return quoteData(chain, quotes[0]);
  // A node can give the account ETH, which the router wraps: the pools are the same.
  const ofEth = { ...trade, tokenIn: { ...tokenIn, isNative: true } };
  const account = getAddress(`0x${randomBytes(20).toString('hex')}`); // a fresh address, which no token treats specially
  const parties = { trade: ofEth, sender: account, recipient: account };
  const candidates = await tryQuotes(node, quotes, parties, deadline);
  if (!candidates?.some(delivers)) return quoteData(chain, quotes[0]);
  const { quote, outcome } = bestTried(chain, trade, candidates);
  return quoteData(chain, quote, outcome.delivered);
}

/** More than a swap through hundreds of ticks uses; four of them need less than half of what nodes allow (reth: 50 M). */
const GAS_PER_CALL = 6_000_000n;
const FOREVER = 2n ** 64n;

/**
 * Simulates each quote's swap as the sender's transaction, in one eth_call that gives the sender's address the code of
 * contracts/SwapTrial.sol: it supplies missing allowances and native currency, but not missing tokens. Undefined if the
 * node does not support code overrides. Throws node failures.
 */
export async function tryQuotes(
  node: UniswapNode,
  quotes: readonly [Quote, ...Quote[]],
  { trade, sender, recipient }: Parties,
  deadline: number,
): Promise<readonly Candidate[] | undefined> {
  const [{ block }] = quotes;
  const { tokenIn, tokenOut, amountIn } = trade;
  const tokens = { tokenIn: counted(tokenIn), tokenOut: counted(tokenOut) };
  const terms = { ...tokens, amountIn, recipient, gasLimit: GAS_PER_CALL };
  const swaps = quotes.map((quote) => {
    const call = swapCall(
      node.chain,
      { ...quote, trade },
      { sender, recipient, minAmountOut: 0n, deadline: FOREVER },
    );
    return { ...call, spender: call.spender ?? ZERO_ADDRESS };
  });
  const data = encodeFunctionData({ abi, functionName: 'tryAll', args: [terms, swaps] });
  const balance = tokenIn.isNative ? { balance: amountIn } : {};
  const overrides = { [sender]: { code: swapTrialCode, ...balance } } as const;
  const tryFrom = (from: Address) =>
    onceKnown(() => node.call({ from, to: sender, data }, block.number, deadline, overrides));
  const answer = await tryFrom(sender)
    .catch((error: unknown) => {
      // Tokens check tx.origin too, but a node may not let accounts with code send transactions (EIP-3607).
      if (error instanceof NodeError && error.kind === 'parameters') return tryFrom(ZERO_ADDRESS);
      throw error;
    })
    .catch((error: unknown) => {
      if (error instanceof NodeError && !OUTAGE.test(error.kind)) return '0x' as const;
      throw error;
    });
  const outcomes = outcomesIn(answer);
  if (outcomes?.length !== quotes.length) return undefined;
  return quotes.map((quote, index) => ({ quote, outcome: outcomeIn(outcomes[index] ?? '0x') }));
}

/** Kinds of node failures that say nothing about the call. */
const OUTAGE = /^(rate-limited|unknown-block|key-refused|unreachable|timed-out)$/;

/** A token's address in the contract's format. */
function counted({ address, isNative }: Token): Address {
  return isNative ? ZERO_ADDRESS : address;
}

function outcomesIn(answer: Hex): readonly Hex[] | undefined {
  try {
    return decodeFunctionResult({ abi, functionName: 'tryAll', data: answer });
  } catch {
    return undefined; // the result of another contract at the address
  }
}

function outcomeIn(data: Hex): Outcome | undefined {
  try {
    const [outcome] = decodeErrorResult({ abi, data }).args;
    return outcome.gasUsed <= GAS_PER_CALL ? outcome : undefined;
  } catch {
    return undefined; // it ran out of gas, or a token does not report a balance
  }
}

/**
 * The candidate with the best output after gas, among those whose minimum is checked against the amount that arrives.
 * Throws 400 with the reason if all of them fail, 404 if there are none.
 */
export function bestTried(
  chain: UniswapChain,
  trade: Trade,
  candidates: readonly Candidate[],
): TriedCandidate {
  const delivering = candidates.filter(delivers).map(asRouterSees);
  if (delivering.length === 0) throw refusal(chain, trade, candidates);
  const [first, ...others] = delivering.filter((candidate) => !losesOnTheWay(candidate));
  if (!first) {
    const why = 'the token keeps a part of what a V3 pool pays, and only V2 looks at what arrives';
    throw ApiError.notFound(`${noRoute(chain, trade)} that could hold a minimum: ${why}`);
  }
  return others.reduce((best, other) => (left(other) > left(best) ? other : best), first);
}

export function delivers(candidate: Candidate): candidate is TriedCandidate {
  return candidate.outcome?.succeeded === true && candidate.outcome.delivered > 0n;
}

/** Some tokens deliver one unit more than was sent: the router does not see it, so the minimum must not include it. */
function asRouterSees(candidate: TriedCandidate): TriedCandidate {
  const { quote, outcome } = candidate;
  const paid = paidByLastPool(quote, outcome.answer);
  if (paid === undefined || paid >= outcome.delivered) return candidate;
  return { quote, outcome: { ...outcome, delivered: paid } };
}

function losesOnTheWay({ quote, outcome }: TriedCandidate): boolean {
  const paid = paidByLastPool(quote, outcome.answer);
  return paid !== undefined && paid > outcome.delivered;
}

function left({ quote, outcome }: TriedCandidate): bigint {
  return outcome.delivered - (quote.gasCost ?? 0n);
}

/** Errors of routers, V2 pairs and V3 pools if the input does not arrive, or only partly. */
const ofInput = /^(STF|IIA|TransferHelper: TRANSFER_FROM_FAILED|TransferHelper::transferFrom: .*)$/;
/** Errors if the output does not arrive; a pair with less than it recorded, as after a rebase, reports K. */
const ofOutput = /^(ST|TF|UniswapV2: TRANSFER_FAILED|UniswapV2: K)$/;

/** The recipient is a contract that cannot receive the native currency. */
const ofRecipient = /^(STE|TransferHelper: ETH_TRANSFER_FAILED|TransferHelper::safeTransferETH: .*)$/;

function refusal(chain: UniswapChain, trade: Trade, candidates: readonly Candidate[]): ApiError {
  const tried = candidates.find(({ outcome }) => outcome)?.outcome;
  if (tried?.succeeded) {
    return new ApiError(400, `Execution reverted: nothing of ${shown(chain, trade.tokenOut)} would arrive`);
  }
  const reason = tried && revertReason(tried.answer);
  if (!reason) return new ApiError(400, 'Execution reverted');
  return new ApiError(400, `Execution reverted: ${reason}${culprit(chain, trade, reason)}`);
}

/** The cause of a revert reason, as the second half of a sentence; empty if it is unclear. */
function culprit(chain: UniswapChain, { tokenIn, tokenOut }: Trade, reason: string): string {
  if (ofRecipient.test(reason)) return `; the recipient takes no ${chain.nativeSymbol}`;
  const token = ofInput.test(reason) ? tokenIn : ofOutput.test(reason) ? tokenOut : undefined;
  return token ? `; ${shown(chain, token)} does not move, or not whole` : '';
}
