/** The best price at the newest block, and its response. */
import type { Block } from '../../shared/evm/node.ts';
import { NodeError } from '../../shared/evm/node-error.ts';
import { isWrap, shown, type Trade as TokenTrade } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { DataOf } from '../../shared/http/route.ts';
import { SharedLoads } from '../../shared/platform/caches.ts';
import {
  isKnown,
  type RouterName,
  routerAddress,
  type UniswapChain,
  type UniswapNode,
} from './deployments.ts';
import { WRAP_GAS } from './gas.ts';
import { readAll } from './multicall.ts';
import { tokensOf } from './pools.ts';
import type { route as quoteRoute } from './quote/route.ts';
import { costOfGas, findRoutes, type Route, type Routes } from './routes.ts';
import type { Price } from './states.ts';
import { type TokenInfo, tokenInfo, tokenReads } from './tokens.ts';

export interface Trade extends TokenTrade {
  /** The router that must be able to trade the route; any by default. */
  readonly router?: RouterName;
}

export interface Quote extends Route {
  /** How tokens are traded: through pools, or one to one through the wrapped token's own contract, with no hops. */
  readonly kind: 'pools' | 'wrap' | 'unwrap';
  readonly trade: Trade;
  /** Unused in a wrap or unwrap. */
  readonly router: RouterName;
  readonly block: Block;
  /** The gas cost at the block's price, in base units of the output; absent if no pool trades it for the native currency. */
  readonly gasCost?: bigint;
  /** The tokens in the order of the route. */
  readonly tokens: readonly TokenInfo[];
}

/** Routes by block and trade: a block's hash identifies its chain. */
const foundRoutes = new SharedLoads<Routes>(30_000, 500);

/**
 * The best quote of each kind at the newest block, best first. Throws 404 without a pool, and node failures.
 */
export async function rankedQuotes(
  node: UniswapNode,
  trade: Trade,
  deadline: number,
): Promise<readonly [Quote, ...Quote[]]> {
  const { chain } = node;
  const { tokenIn, tokenOut, amountIn } = trade;
  const [block] = await Promise.all([node.block(deadline), node.assertChain(deadline)]);
  if (isWrap(trade)) return [await wrapQuote(node, trade, block, deadline)];
  const wanted = { tokenIn: tokenIn.address, tokenOut: tokenOut.address, amountIn };
  const key = [block.hash, ...Object.values(wanted)].join(' ');
  const routes = await foundRoutes.get(key, () => onceKnown(() => findRoutes(node, wanted, block, deadline)));
  const [best, ...others] = routes.ranked.flatMap((route) => {
    const router = routerOf(route, routes.isOneRouter, trade.router);
    return router ? [poolsQuote(trade, router, route, routes, block)] : [];
  });
  if (best) return [best, ...others];
  const byRouter = trade.router && routes.ranked.length > 0 ? ` by ${trade.router}` : '';
  throw ApiError.notFound(`${noRoute(chain, trade)}${byRouter}`);
}

const UNKNOWN_BLOCK_WAIT_MS = 300;

/** A node may not have the block yet that another node behind the same address has; it will have it soon. */
export async function onceKnown<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NodeError && error.kind === 'unknown-block')) throw error;
    await new Promise((resolve) => setTimeout(resolve, UNKNOWN_BLOCK_WAIT_MS));
    return read();
  }
}

/** The start of a 404's message. */
export function noRoute(chain: UniswapChain, { tokenIn, tokenOut }: Trade): string {
  return `No route found from ${shown(chain, tokenIn)} to ${shown(chain, tokenOut)} on ${chain.name}`;
}

/** The router that trades the route; undefined if it is not the requested one. */
function routerOf(
  { hops }: Route,
  isOneRouter: boolean,
  wanted: RouterName | undefined,
): RouterName | undefined {
  const isV2 = hops.every(({ type }) => type === 'v2');
  const able: RouterName[] = [];
  if (!isV2 || isOneRouter) able.push('SwapRouter02');
  if (isV2) able.push('V2Router02');
  return wanted ? able.find((router) => router === wanted) : able[0];
}

function poolsQuote(trade: Trade, router: RouterName, route: Route, routes: Routes, block: Block): Quote {
  const tokens = tokensOf(route.hops).map((address) => routes.tokens.get(address) ?? tokenInfo(address, []));
  const gasCost = routes.gasWorth && { gasCost: costOfGas(route.gas, routes.gasWorth) };
  return { ...route, kind: 'pools', trade, router, block, tokens, ...gasCost };
}

/** Native currency for its wrapped token, or the reverse. */
async function wrapQuote(node: UniswapNode, trade: Trade, block: Block, deadline: number): Promise<Quote> {
  const { tokenIn, amountIn } = trade;
  const { address } = tokenIn;
  const kind = tokenIn.isNative ? 'wrap' : 'unwrap';
  const gas = WRAP_GAS[kind];
  const token = tokenInfo(address, await readAll(node, tokenReads(address), block.number, deadline));
  const gasCost = gas * (block.baseFeePerGas + node.chain.tip);
  const common = { kind, trade, router: 'SwapRouter02', block, gas, gasCost, tokens: [token] } as const;
  return { ...common, hops: [], prices: [], amountOut: amountIn };
}

export type QuoteData = DataOf<typeof quoteRoute>;

/** The response, with the output of the quote's trial if there was one. */
export function quoteData(chain: UniswapChain, quoted: Quote, delivered?: bigint): QuoteData {
  const { kind, trade, block, amountOut, hops, gas, gasCost, tokens } = quoted;
  const tiers = hops.map(({ feeTier }) => feeTier);
  const router = kind === 'pools' ? quoted.router : null;
  return {
    amountOut: String(delivered ?? amountOut),
    verified: delivered !== undefined || tokens.every(({ address }) => isKnown(chain, address)),
    fee: { amount: String(feeAmount(trade.amountIn, tiers)), currency: shown(chain, trade.tokenIn), tiers },
    route: [...hops],
    priceImpact: priceImpact(quoted),
    block: Number(block.number),
    blockHash: block.hash,
    gasEstimate: String(gas),
    gasCost: gasCost === undefined ? null : String(gasCost),
    tokens: [...tokens],
    router,
    spender: router === null || trade.tokenIn.isNative ? null : routerAddress(chain, router),
  };
}

const MILLION = 1_000_000n;
const kept = (tiers: readonly number[]) => tiers.reduce((left, tier) => left * (MILLION - BigInt(tier)), 1n);

/** The combined fees of the pools along a path, as a fraction of the input, rounded up. */
function feeAmount(amountIn: bigint, tiers: readonly number[]): bigint {
  return amountIn - (amountIn * kept(tiers)) / MILLION ** BigInt(tiers.length);
}

/** The loss against the price before the trade, without fees, in percent with four decimals. Never negative. */
function priceImpact({ trade, amountOut, prices, hops }: Quote): number {
  const product = (part: keyof Price) => prices.reduce((whole, price) => whole * price[part], 1n);
  const expected = trade.amountIn * product('numerator') * kept(hops.map(({ feeTier }) => feeTier));
  const actual = amountOut * product('denominator') * MILLION ** BigInt(hops.length);
  if (expected === 0n) return 0;
  const millionths = ((expected - actual) * MILLION) / expected;
  return Number(millionths > 0n ? millionths : 0n) / 10_000;
}
