import type { Hex } from 'viem';
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData } from 'viem/utils';
import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { type Address, type Token, ZERO_ADDRESS } from '../../../shared/evm/values.ts';
import { swapTrialAbi as abi, swapTrialCode } from '../contracts/swap-trial.ts';
import type { SwapCall } from './calldata.ts';
import type { Trade } from './quote.ts';

interface Trial {
  readonly trade: Trade;
  readonly sender: Address;
  readonly recipient: Address;
  /** Three at most: of V2, V3 and both. */
  readonly calls: readonly SwapCall[];
}

export interface Outcome {
  readonly succeeded: boolean;
  /** What the recipient has more of, in base units of the output. */
  readonly delivered: bigint;
  /** By the call alone, without what every transaction uses. */
  readonly gasUsed: bigint;
  /** What the call answered, or the data of its revert. */
  readonly answer: Hex;
}

/** More than a swap through hundreds of ticks uses; that of three is less than half of what nodes allow (reth: 50 M). */
const GAS_PER_CALL = 6_000_000n;

/**
 * What each call would do as the sender's transaction, by one eth_call in which the sender's address has the code of
 * contracts/SwapTrial.sol: a missing allowance is given, native currency that is missing is there, a missing token is
 * not. Undefined for a call that could not be tried, and for all of them if the node takes no code for an address.
 */
export async function tryAll(
  node: Node,
  { trade, sender, recipient, calls }: Trial,
  block: bigint,
  deadline: number,
): Promise<(Outcome | undefined)[] | undefined> {
  const { tokenIn, tokenOut, amountIn } = trade;
  const terms = {
    tokenIn: counted(tokenIn),
    amountIn,
    tokenOut: counted(tokenOut),
    recipient,
    gasLimit: GAS_PER_CALL,
  };
  const swaps = calls.map(({ to, value, data, spender }) => ({
    to,
    value,
    data,
    spender: spender ?? ZERO_ADDRESS,
  }));
  const data = encodeFunctionData({ abi, functionName: 'tryAll', args: [terms, swaps] });
  const balance = tokenIn.isNative ? { balance: amountIn } : {};
  const overrides = { [sender]: { code: swapTrialCode, ...balance } } as const;
  const ask = (at: bigint | 'latest', from = sender) =>
    node.call({ from, to: sender, data }, at, deadline, overrides);
  try {
    const answer = await ask(block).catch((error: unknown) => {
      const kind = error instanceof NodeError ? error.kind : undefined;
      // Nodes behind one address may be a block apart.
      if (kind === 'unknown-block') return ask('latest');
      // Tokens look at tx.origin too, but a node may let nobody who has code send anything (EIP-3607).
      if (kind === 'parameters') return ask(block, ZERO_ADDRESS);
      throw error;
    });
    const outcomes = outcomesIn(answer);
    return outcomes?.length === calls.length ? outcomes.map(outcomeIn) : undefined;
  } catch (error) {
    if (error instanceof NodeError && !OUTAGE.test(error.kind)) return undefined;
    throw error;
  }
}

/** Kinds of a node's failures that say nothing about the call. */
const OUTAGE = /^(rate-limited|unknown-block|key-refused|unreachable|timed-out)$/;

/** As the contract knows it. */
function counted({ address, isNative }: Token): Address {
  return isNative ? ZERO_ADDRESS : address;
}

function outcomesIn(answer: Hex): readonly Hex[] | undefined {
  try {
    return decodeFunctionResult({ abi, functionName: 'tryAll', data: answer });
  } catch {
    return undefined; // the answer of whatever else stands at the address
  }
}

function outcomeIn(data: Hex): Outcome | undefined {
  try {
    const [outcome] = decodeErrorResult({ abi, data }).args;
    return outcome.gasUsed <= GAS_PER_CALL ? outcome : undefined;
  } catch {
    return undefined; // it used up its gas, or a token does not tell a balance
  }
}
