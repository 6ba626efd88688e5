import type { Address } from '../../../shared/evm/address.ts';
import type { UniswapNode } from '../deployments.ts';
import { routerOf } from './calldata.ts';
import type { Quote } from './quote.ts';
import { readAll, word } from './read-all.ts';
import { tokenCalls } from './token-calls.ts';

/** Says how much of balance or allowance a sender lacks for a swap; undefined if it has both. */
export async function shortfall(
  node: UniswapNode,
  { trade, type }: Quote,
  sender: Address,
  deadline: number,
): Promise<string | undefined> {
  const { chain } = node;
  const { tokenIn, amountIn } = trade;
  if (tokenIn.isNative) {
    const balance = await node.balance(sender, deadline);
    return balance < amountIn ? lackOfBalance(sender, balance, amountIn, chain.nativeSymbol) : undefined;
  }
  const router = routerOf(chain, type);
  const reads = [tokenCalls.balanceOf(sender), tokenCalls.allowance(sender, router)];
  const answers = await readAll(
    node,
    chain.uniswap.multicall,
    reads.map((data) => ({ to: tokenIn.address, data })),
    await node.blockNumber(deadline),
    deadline,
  );
  const [balance, allowance] = answers.map((answer) => (answer ? word(answer, 0) : undefined));
  const lacks: string[] = [];
  if (balance !== undefined && balance < amountIn) {
    lacks.push(lackOfBalance(sender, balance, amountIn, tokenIn.address));
  }
  if (allowance !== undefined && allowance < amountIn) {
    lacks.push(
      `Insufficient allowance: the ${type} router ${router} may take ${allowance} of ${amountIn} base units of ` +
        `${tokenIn.address}, ${amountIn - allowance} short; approve it first (router ${type})`,
    );
  }
  return lacks.length > 0 ? lacks.join('; ') : undefined;
}

function lackOfBalance(sender: Address, balance: bigint, needed: bigint, what: string): string {
  return `Insufficient balance: ${sender} has ${balance} of ${needed} base units of ${what}, ${needed - balance} short`;
}
