import type { ChainName } from '../../shared/chains.ts';
import { type NodeDependencies, nodeFor as plainNodeFor, servedChain } from '../../shared/evm/nodes.ts';
import {
  type Address,
  MAX_UINT128,
  meansNative,
  parseAddress,
  parseAmount,
  parseToken,
} from '../../shared/evm/values.ts';
import { invalidParameter } from '../../shared/http/middleware/input.ts';
import { type RouterName, type UniswapNode, uniswapChain } from './deployments.ts';
import type { Trade } from './quote.ts';

interface TradeInput {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amount: string;
  readonly chain?: ChainName;
  readonly router?: RouterName;
}

/** The node of the request's chain, or of the default one. Throws as servedChain. */
export async function nodeFor(
  name: ChainName | undefined,
  dependencies: NodeDependencies,
): Promise<UniswapNode> {
  const node = await plainNodeFor(name, dependencies);
  return { ...node, chain: uniswapChain(servedChain(name)) };
}

/** The requested trade. Throws a 400 for an invalid chain, token or amount. */
export async function tradeOf(
  { tokenIn, tokenOut, amount, router, ...input }: TradeInput,
  dependencies: NodeDependencies,
): Promise<{ readonly node: UniswapNode; readonly trade: Trade }> {
  const name = servedChain(input.chain);
  const chain = uniswapChain(name);
  const trade = {
    tokenIn: parseToken(chain, 'tokenIn', tokenIn),
    tokenOut: parseToken(chain, 'tokenOut', tokenOut),
    // No token has a larger supply, and pools count in fewer bits.
    amountIn: parseAmount('amount', amount, MAX_UINT128),
    ...(router && { router }),
  };
  return { node: await nodeFor(name, dependencies), trade };
}

/** The token to approve. Throws a 400 for the native currency, and as servedChain. */
export function tokenToApprove(name: ChainName | undefined, text: string): Address {
  const chain = uniswapChain(servedChain(name));
  if (meansNative(chain, text)) {
    const allowed = `a token's address; ${chain.nativeSymbol} needs no approval`;
    throw invalidParameter('token', text, allowed);
  }
  return parseAddress('token', text);
}
