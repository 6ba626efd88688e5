import type { Chain } from '../../../shared/evm/chain.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { UniswapNode } from '../deployments.ts';
import { feeAmount, priceImpact } from './arithmetic.ts';
import { BlockCache } from './block-cache.ts';
import type { Hop } from './pools.ts';
import { bestPath, type PathQuote } from './quoter.ts';
import { shown, type Token } from './token.ts';

export interface Trade {
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  /** In base units. */
  readonly amountIn: bigint;
}

export interface Quote extends PathQuote {
  readonly trade: Trade;
  readonly block: bigint;
}

const cache = new BlockCache<PathQuote | undefined>();
/** A node that has not seen the block yet, which another behind the same address has, sees it soon. */
const UNKNOWN_BLOCK_WAIT_MS = 300;

/** The best quote at the newest block. Throws 400 for one token twice, 404 without a pool, and node failures. */
export async function quote(node: UniswapNode, trade: Trade, deadline: number): Promise<Quote> {
  const { chain } = node;
  const { tokenIn, tokenOut, amountIn } = trade;
  assertDifferent(chain, trade);
  const [block] = await Promise.all([node.blockNumber(deadline), node.assertChain(deadline)]);
  const key = `${tokenIn.address} ${tokenOut.address} ${amountIn}`;
  const addresses = { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn };
  const best = await cache.get(chain.name, block, key, async () => {
    try {
      return await bestPath(node, addresses, block, deadline);
    } catch (error) {
      if (!(error instanceof NodeError && error.kind === 'unknown-block')) throw error;
      await new Promise((resolve) => setTimeout(resolve, UNKNOWN_BLOCK_WAIT_MS));
      return bestPath(node, addresses, block, deadline);
    }
  });
  if (best) return { ...best, trade, block };
  const [from, to] = [shown(chain, tokenIn), shown(chain, tokenOut)];
  throw ApiError.notFound(`No route found from ${from} to ${to} on ${chain.name}`);
}

function assertDifferent(chain: Chain, { tokenIn, tokenOut }: Trade): void {
  if (tokenIn.address !== tokenOut.address) return;
  const isWrapping = tokenIn.isNative !== tokenOut.isNative;
  const allowed = isWrapping
    ? `a token other than tokenIn; pools trade ${chain.nativeSymbol} as ${chain.wrappedNative}, which wraps it one to one`
    : 'a token other than tokenIn';
  throw invalidParameter('tokenOut', shown(chain, tokenOut), allowed);
}

/** A quote as it is answered: amounts in base units as decimal text, addresses checksummed. */
export interface QuoteData {
  readonly amountOut: string;
  readonly fee: { readonly amount: string; readonly currency: string; readonly tiers: number[] };
  readonly route: Hop[];
  /** Percent. */
  readonly priceImpact: number;
  readonly block: number;
}

export function quoteData(chain: Chain, { trade, block, amountOut, hops, prices }: Quote): QuoteData {
  const tiers = hops.map(({ feeTier }) => feeTier);
  return {
    amountOut: String(amountOut),
    fee: { amount: String(feeAmount(trade.amountIn, tiers)), currency: shown(chain, trade.tokenIn), tiers },
    route: [...hops],
    priceImpact: priceImpact(trade.amountIn, amountOut, prices, tiers),
    block: Number(block),
  };
}
