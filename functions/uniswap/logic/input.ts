import type { Address } from '../../../shared/evm/address.ts';
import { MAX_UINT128, parseAmount } from '../../../shared/evm/amount.ts';
import { type ChainName, chains } from '../../../shared/evm/chains.ts';
import { type NodeDependencies, nodeFor } from '../../../shared/evm/input.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { Trade } from './quote.ts';
import { parseToken } from './token.ts';

interface TradeInput {
  readonly tokenIn: string;
  readonly tokenOut: string;
  readonly amount: string;
  readonly chain?: ChainName;
}

/** The trade that a caller asks about. Throws the 400 of a token or amount that cannot be. */
export function tradeOf(
  { tokenIn, tokenOut, amount, chain: name = 'mainnet' }: TradeInput,
  dependencies: NodeDependencies,
): { readonly node: Node; readonly trade: Trade } {
  const chain = chains[name];
  const trade = {
    tokenIn: parseToken(chain, 'tokenIn', tokenIn),
    tokenOut: parseToken(chain, 'tokenOut', tokenOut),
    // No token has more units, and pools count in fewer bits.
    amountIn: parseAmount('amount', amount, MAX_UINT128),
  };
  return { node: nodeFor(name, dependencies), trade };
}

/** The token to approve. Throws the 400 that says so where it is the native currency. */
export function tokenToApprove(name: ChainName = 'mainnet', text: string): Address {
  const { address, isNative } = parseToken(chains[name], 'token', text);
  if (isNative) {
    const allowed = `a token's address; ${chains[name].nativeSymbol} needs no approval`;
    throw invalidParameter('token', text, allowed);
  }
  return address;
}
