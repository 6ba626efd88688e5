import type { Address } from '../../../shared/evm/address.ts';
import { MAX_UINT128, parseAmount } from '../../../shared/evm/amount.ts';
import type { ChainName } from '../../../shared/evm/chains.ts';
import { type NodeDependencies, nodeFor as plainNodeFor } from '../../../shared/evm/input.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { type UniswapNode, uniswapChain } from '../deployments.ts';
import type { Trade } from './quote.ts';
import { parseToken } from './token.ts';

interface TradeInput {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amount: string;
  readonly chain: ChainName;
}

/** The node of the request's chain. Throws the 500 of a missing secret. */
export async function nodeFor(name: ChainName, dependencies: NodeDependencies): Promise<UniswapNode> {
  return { ...(await plainNodeFor(name, dependencies)), chain: uniswapChain(name) };
}

/** The trade that a caller asks about. Throws the 400 of a token or amount that cannot be. */
export async function tradeOf(
  { tokenIn, tokenOut, amount, chain: name }: TradeInput,
  dependencies: NodeDependencies,
): Promise<{ readonly node: UniswapNode; readonly trade: Trade }> {
  const chain = uniswapChain(name);
  const trade = {
    tokenIn: parseToken(chain, 'tokenIn', tokenIn),
    tokenOut: parseToken(chain, 'tokenOut', tokenOut),
    // No token has more units, and pools count in fewer bits.
    amountIn: parseAmount('amount', amount, MAX_UINT128),
  };
  return { node: await nodeFor(name, dependencies), trade };
}

/** The token to approve. Throws the 400 that says so if it is the native currency. */
export function tokenToApprove(name: ChainName, text: string): Address {
  const chain = uniswapChain(name);
  const { address, isNative } = parseToken(chain, 'token', text);
  if (isNative) {
    const allowed = `a token's address; ${chain.nativeSymbol} needs no approval`;
    throw invalidParameter('token', text, allowed);
  }
  return address;
}
