import type { Chain } from '../../../shared/evm/chains.ts';
import type { Block } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { type Address, shown, type Token } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import type { RouterName, UniswapNode } from '../deployments.ts';
import { BlockCache } from './block-cache.ts';
import { WRAP_GAS } from './gas.ts';
import { perNode } from './per-node.ts';
import { tokensOf } from './pools.ts';
import type { PathQuote } from './quoter.ts';
import { readMetadata } from './read-states.ts';
import { costOfGas, findRoutes, type Routes, type RouteToken } from './routes.ts';

export interface Trade {
  readonly tokenIn: Token;
  readonly tokenOut: Token;
  /** In base units. */
  readonly amountIn: bigint;
  /** Only routes that this one can trade; any unless told. */
  readonly router?: RouterName;
}

export interface Quote extends Pick<PathQuote, 'hops' | 'pooled' | 'prices' | 'amountOut' | 'gas'> {
  /** Through pools, or one to one by the wrapped token's own contract, with no hops. */
  readonly kind: 'pools' | 'wrap' | 'unwrap';
  readonly trade: Trade;
  /** Has no part in a wrap or unwrap. */
  readonly router: RouterName;
  readonly block: Block;
  /** What that costs at the block's price, in base units of the output; absent if nobody trades it for the native. */
  readonly gasCost?: bigint;
  /** In the order of the route. */
  readonly tokens: readonly RouteToken[];
}

/** Of each node, since two of one name may be of different heights. */
const cacheOf = perNode(() => new BlockCache<Routes>());
/** A node that has not seen the block yet, which another behind the same address has, sees it soon. */
const UNKNOWN_BLOCK_WAIT_MS = 300;

/** The best quote at the newest block. Throws as `rankedQuotes`. */
export async function quote(node: UniswapNode, trade: Trade, deadline: number): Promise<Quote> {
  const [best] = await rankedQuotes(node, trade, deadline);
  return best;
}

/**
 * The best quote of each kind (V2, V3, mixed) at the newest block, best first. Throws 400 for one token twice, 404
 * without a pool, and node failures.
 */
export async function rankedQuotes(
  node: UniswapNode,
  trade: Trade,
  deadline: number,
): Promise<readonly [Quote, ...Quote[]]> {
  const { chain } = node;
  const { tokenIn, tokenOut, amountIn } = trade;
  assertDifferent(chain, trade);
  const [block] = await Promise.all([node.block(deadline), node.assertChain(deadline)]);
  if (tokenIn.address === tokenOut.address) return [await wrapQuote(node, trade, block, deadline)];
  const key = `${tokenIn.address} ${tokenOut.address} ${amountIn}`;
  const wanted = { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn };
  const routes = await cacheOf(node).get(block, key, async () => {
    try {
      return await findRoutes(node, wanted, block, deadline);
    } catch (error) {
      if (!(error instanceof NodeError && error.kind === 'unknown-block')) throw error;
      await new Promise((resolve) => setTimeout(resolve, UNKNOWN_BLOCK_WAIT_MS));
      return findRoutes(node, wanted, block, deadline);
    }
  });
  const [best, ...others] = routes.ranked.flatMap((route) => {
    const router = routerOf(route, routes.isOneRouter, trade.router);
    return router ? [poolsQuote(trade, router, route, routes, block)] : [];
  });
  if (best) return [best, ...others];
  throw noRoute(chain, trade, routes);
}

/** The router that trades the route; undefined if it is not the one that is asked for. */
function routerOf(
  { kind }: PathQuote,
  isOneRouter: boolean,
  asked: RouterName | undefined,
): RouterName | undefined {
  const able: RouterName[] = [];
  if (kind !== 'v2' || isOneRouter) able.push('SwapRouter02');
  if (kind === 'v2') able.push('V2Router02');
  return asked ? able.find((router) => router === asked) : able[0];
}

function poolsQuote(trade: Trade, router: RouterName, route: PathQuote, routes: Routes, block: Block): Quote {
  const { hops, prices, pooled, amountOut, gas } = route;
  const tokens = tokensOf(hops).map((address) => routes.tokens.get(address) ?? unknownToken(address));
  const gasCost = routes.gasWorth && costOfGas(gas, routes.gasWorth);
  const quote = {
    kind: 'pools',
    trade,
    router,
    hops,
    prices,
    pooled,
    block,
    amountOut,
    gas,
    tokens,
  } as const;
  return gasCost === undefined ? quote : { ...quote, gasCost };
}

/** Native for its wrapped token, or the reverse. */
async function wrapQuote(node: UniswapNode, trade: Trade, block: Block, deadline: number): Promise<Quote> {
  const { tokenIn, amountIn } = trade;
  const { address } = tokenIn;
  const kind = tokenIn.isNative ? 'wrap' : 'unwrap';
  const gas = WRAP_GAS[kind];
  const metadata = await readMetadata(node, address, block.number, deadline);
  return {
    kind,
    trade,
    router: 'SwapRouter02',
    hops: [],
    pooled: { amountIn, amountOut: amountIn },
    prices: [],
    block,
    amountOut: amountIn,
    gas,
    gasCost: gas * (block.baseFeePerGas + node.chain.uniswap.priorityFee),
    tokens: [{ ...unknownToken(address), ...metadata, buyTaxBps: 0, sellTaxBps: 0 }],
  };
}

function unknownToken(address: Address): RouteToken {
  return { address, symbol: null, decimals: null, buyTaxBps: null, sellTaxBps: null };
}

function noRoute(
  chain: Chain,
  { tokenIn, tokenOut, router }: Trade,
  { ranked, excludedBy }: Routes,
): ApiError {
  const [from, to] = [shown(chain, tokenIn), shown(chain, tokenOut)];
  const byRouter = router && ranked.length > 0 ? ` by ${router}` : '';
  const text = `No route found from ${from} to ${to} on ${chain.name}${byRouter}`;
  if (!excludedBy || byRouter) return ApiError.notFound(text);
  const { address, buyTaxBps, sellTaxBps } = excludedBy;
  const bps = (address === tokenIn.address ? sellTaxBps : buyTaxBps) ?? 0;
  const kept = bps > 0 ? `keeps ${bps / 100} % of each transfer` : 'loses a unit in rounding';
  return ApiError.notFound(`${text}: ${address} ${kept}, and only pools of V2 can hold a minimum for it`);
}

function assertDifferent(chain: Chain, { tokenIn, tokenOut }: Trade): void {
  if (tokenIn.address !== tokenOut.address || tokenIn.isNative !== tokenOut.isNative) return;
  throw invalidParameter('tokenOut', shown(chain, tokenOut), 'a token other than tokenIn');
}
