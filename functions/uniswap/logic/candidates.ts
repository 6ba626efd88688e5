import { revertReason } from '../../../shared/evm/node-error.ts';
import { shown } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { UniswapChain } from '../deployments.ts';
import { paidByLastPool } from './calldata.ts';
import type { Quote, Trade } from './quote.ts';
import type { Outcome } from './trial.ts';

/** A route, and what trying it showed. */
export interface Candidate {
  readonly quote: Quote;
  readonly outcome: Outcome | undefined;
}

interface TriedCandidate extends Candidate {
  readonly outcome: Outcome;
}

/**
 * The candidate that leaves most after the cost of its gas, of those whose minimum is held against what arrives. Throws
 * 400 with the reason if all of them fail, 404 if there is none such.
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
    const [from, to] = [shown(chain, trade.tokenIn), shown(chain, trade.tokenOut)];
    throw ApiError.notFound(
      `No route found from ${from} to ${to} on ${chain.name} that could hold a minimum: ` +
        `the token keeps a part of what a V3 pool pays, and only V2 looks at what arrives`,
    );
  }
  return others.reduce((best, other) => (left(other) > left(best) ? other : best), first);
}

export function delivers(candidate: Candidate): candidate is TriedCandidate {
  return candidate.outcome?.succeeded === true && candidate.outcome.delivered > 0n;
}

/** Of some tokens a unit more arrives than was sent: the router does not see it, and no minimum may count on it. */
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

/** Said by routers, V2 pairs and V3 pools if the input does not move, or not whole. */
const ofInput = /^(STF|IIA|TransferHelper: TRANSFER_FROM_FAILED|TransferHelper::transferFrom: .*)$/;
/** The same of the output; a pair that has less than it thinks, as after a rebase, says K. */
const ofOutput = /^(ST|TF|UniswapV2: TRANSFER_FAILED|UniswapV2: K)$/;

/** The recipient is a contract without a way in for the native currency. */
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

/** Whom a reason blames, as a second half of the sentence; empty if that cannot be told. */
function culprit(chain: UniswapChain, { tokenIn, tokenOut }: Trade, reason: string): string {
  if (ofRecipient.test(reason)) return `; the recipient takes no ${chain.nativeSymbol}`;
  const token = ofInput.test(reason) ? tokenIn : ofOutput.test(reason) ? tokenOut : undefined;
  return token ? `; ${shown(chain, token)} does not move, or not whole` : '';
}
