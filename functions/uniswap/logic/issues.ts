import type { Hex } from 'viem';
import type { Issues } from '../../../shared/evm/contract.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { type Address, shown } from '../../../shared/evm/values.ts';
import type { Trade } from './quote.ts';
import { readNumber } from './read-latest.ts';
import { tokenCalls } from './token-calls.ts';

/** What a sender has of the input, and each spender may take: in base units, undefined if the token does not say. */
export interface Holdings {
  readonly balance: bigint | undefined;
  readonly allowances: ReadonlyMap<Address, bigint | undefined>;
}

/** Throws node failures. */
export async function holdingsOf(
  node: Node,
  { tokenIn }: Trade,
  sender: Address,
  spenders: readonly Address[],
  deadline: number,
): Promise<Holdings> {
  if (tokenIn.isNative) return { balance: await node.balance(sender, deadline), allowances: new Map() };
  const number = (data: Hex) => readNumber(node, tokenIn.address, data, deadline);
  const [balance, ...allowances] = await Promise.all([
    number(tokenCalls.balanceOf(sender)),
    ...spenders.map((spender) => number(tokenCalls.allowance(sender, spender))),
  ]);
  return { balance, allowances: new Map(spenders.map((spender, index) => [spender, allowances[index]])) };
}

/** What the sender lacks for the trade; `simulation` says why it was not tried. */
export function issuesOf(
  node: Node,
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
        ? { token: shown(node.chain, tokenIn), actual: String(balance), required }
        : null,
    simulation,
  };
}
