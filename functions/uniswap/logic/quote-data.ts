import { type Address, shown } from '../../../shared/evm/values.ts';
import { type RouterName, routerAddress, type UniswapChain } from '../deployments.ts';
import { feeAmount, priceImpact } from './arithmetic.ts';
import type { Hop } from './pools.ts';
import type { Quote } from './quote.ts';
import type { RouteToken } from './routes.ts';

/** A quote as it is answered: amounts in base units as decimal text, addresses checksummed. */
export interface QuoteData {
  readonly amountOut: string;
  readonly fee: { readonly amount: string; readonly currency: string; readonly tiers: number[] };
  readonly route: Hop[];
  /** Percent. */
  readonly priceImpact: number;
  readonly block: number;
  readonly blockHash: string;
  readonly gasEstimate: string;
  readonly gasCost: string | null;
  readonly tokens: RouteToken[];
  readonly router: RouterName | null;
  readonly spender: Address | null;
}

export function quoteData(chain: UniswapChain, quoted: Quote): QuoteData {
  const { kind, trade, block, amountOut, hops, pooled, prices, gas, gasCost, tokens } = quoted;
  const tiers = hops.map(({ feeTier }) => feeTier);
  const router = kind === 'pools' ? quoted.router : null;
  return {
    amountOut: String(amountOut),
    fee: { amount: String(feeAmount(pooled.amountIn, tiers)), currency: shown(chain, trade.tokenIn), tiers },
    route: [...hops],
    priceImpact: priceImpact(pooled.amountIn, pooled.amountOut, prices, tiers),
    block: Number(block.number),
    blockHash: block.hash,
    gasEstimate: String(gas),
    gasCost: gasCost === undefined ? null : String(gasCost),
    tokens: [...tokens],
    router,
    spender: router === null || trade.tokenIn.isNative ? null : routerAddress(chain, router),
  };
}
