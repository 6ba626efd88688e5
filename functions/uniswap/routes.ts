/** The best ways from one token to another at a block, by what the pools pay and the gas costs. */
import type { Hex } from 'viem';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import type { Block } from '../../shared/evm/node.ts';
import type { Address } from '../../shared/evm/values.ts';
import type { UniswapNode } from './deployments.ts';
import { gasOf } from './gas.ts';
import { field, nonpayable, type Read, readAll } from './multicall.ts';
import { candidatePaths, encodeV3Path, type Hop, type Path, sellsToken0 } from './pools.ts';
import { type PoolState, type Price, readStates, type States } from './states.ts';

/** A path with what its pools pay for the amount. */
export interface Route {
  readonly hops: Path;
  /** In base units: what the last pool pays, whatever the tokens keep for themselves. */
  readonly amountOut: bigint;
  /** Before the trade, hop by hop. */
  readonly prices: readonly Price[];
  /** About what the whole transaction uses, in units of gas. */
  readonly gas: bigint;
}

export interface Routes extends Pick<States, 'tokens' | 'isOneRouter'> {
  /** The best of each kind, best first. */
  readonly ranked: readonly Route[];
  /** A unit of gas in base units of the output; undefined if no pool tells. */
  readonly gasWorth: Price | undefined;
}

interface Wanted {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

type Pools = States['pools'];

/** Finds the best routes in two rounds: the states, and the quotes of V3's quoter. Throws node failures. */
export async function findRoutes(
  node: UniswapNode,
  { tokenIn, tokenOut, amountIn }: Wanted,
  block: Block,
  deadline: number,
): Promise<Routes> {
  const { chain } = node;
  const candidates = candidatePaths(chain, tokenIn, tokenOut);
  const { pools, tokens, isOneRouter } = await readStates(node, candidates, block.number, deadline);
  const paths = candidates.filter(
    (hops) => hops.every(({ pool }) => pools.get(pool)?.isUsable) && (isOneRouter || !isMixed(hops)),
  );
  const reads = new Map(
    paths.flatMap((path) => {
      const read = quoterRead(chain.uniswap.quoter, path, amountIn, pools);
      return read ? [[path, read] as const] : [];
    }),
  );
  const answers = await readAll(node, [...reads.values()], block.number, deadline);
  const answerTo = new Map([...reads.keys()].map((path, index) => [path, answers[index]]));
  const routes = paths.flatMap((path) => routeOf(path, amountIn, pools, answerTo.get(path)) ?? []);
  const native = nativePrice([...pools.values()], chain.wrappedNative, tokenOut);
  const gasWorth = native && {
    numerator: (block.baseFeePerGas + chain.tip) * native.numerator,
    denominator: native.denominator,
  };
  return { ranked: bestOfEachKind(routes, gasWorth), tokens, isOneRouter, gasWorth };
}

function isMixed([first, second = first]: Path): boolean {
  return first?.type !== second?.type;
}

/**
 * By what is left after gas; of equals the shorter path first. A kind is the versions of the first and the last pool:
 * those are what decides whether a token that keeps a part of its transfers can be traded.
 */
function bestOfEachKind(routes: readonly Route[], gasWorth: Price | undefined): Route[] {
  const left = ({ amountOut, gas }: Route) => amountOut - costOfGas(gas, gasWorth);
  const sorted = routes.toSorted((a, b) => {
    const difference = left(b) - left(a);
    return difference === 0n ? 0 : difference > 0n ? 1 : -1;
  });
  const best = new Map<string, Route>();
  for (const route of sorted) {
    const kind = `${route.hops[0]?.type} ${route.hops.at(-1)?.type}`;
    if (!best.has(kind)) best.set(kind, route);
  }
  return [...best.values()];
}

/** Rounded down; 0 if no pool tells. */
export function costOfGas(gas: bigint, worth: Price | undefined): bigint {
  return worth ? (gas * worth.numerator) / worth.denominator : 0n;
}

/**
 * A trade that crosses sixty initialised ticks needs as much: 38,000 each, measured. An initialised pool that finds
 * nothing to trade with uses all that it is given.
 */
const QUOTER_GAS = 2_500_000n;
// One beyond these no V3 price goes (TickMath); a trade that ends there was not filled.
const MIN_SQRT_PRICE = 4295128740n;
const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970341n;

const quoterInputs = [field('path', 'bytes'), field('amountIn', 'uint256')] as const;
const quoterAbi = [{ ...nonpayable, name: 'quoteExactInput', inputs: quoterInputs, outputs: [] }] as const;
/** The amount out, each hop's price after, each hop's initialised ticks crossed, and the gas (QuoterV2). */
const quoterOutputs = [
  { type: 'uint256' },
  { type: 'uint160[]' },
  { type: 'uint32[]' },
  { type: 'uint256' },
] as const;

const isV3 = ({ type }: Hop) => type === 'v3';

/** The question to the quoter about a path's pools of V3, which are always neighbours; undefined without any. */
function quoterRead(quoter: Address, hops: Path, amountIn: bigint, pools: Pools): Read | undefined {
  const start = hops.findIndex(isV3);
  if (start < 0) return undefined;
  const amount = throughV2(hops.slice(0, start), amountIn, pools);
  const args = [encodeV3Path(hops.filter(isV3)), amount] as const;
  return { to: quoter, data: encodeFunctionData({ abi: quoterAbi, args }), gas: QUOTER_GAS };
}

/** What a path gives, with the quoter's answer about its pools of V3; undefined if it gives nothing. */
function routeOf(hops: Path, amountIn: bigint, pools: Pools, answer: Hex | undefined): Route | undefined {
  const lastV3 = hops.findLastIndex(isV3);
  const v3 = lastV3 < 0 ? { amount: amountIn, gas: 0n } : v3Answer(hops.filter(isV3), answer);
  const amountOut = throughV2(hops.slice(lastV3 + 1), v3.amount, pools);
  if (amountOut === 0n) return undefined;
  const prices = hops.flatMap(({ pool }) => pools.get(pool)?.price ?? []);
  return { hops, amountOut, prices, gas: gasOf(hops, v3.gas) };
}

const MAX_UINT112 = 2n ** 112n - 1n;

/** UniswapV2Library.getAmountOut of pair after pair: 0.3 % of the input stays. 0 if one is empty or would overflow. */
function throughV2(hops: Path, amountIn: bigint, pools: Pools): bigint {
  return hops.reduce((amount, { pool }) => {
    const { reserveIn = 0n, reserveOut = 0n } = pools.get(pool) ?? {};
    if (amount === 0n || reserveIn === 0n || reserveIn + amount > MAX_UINT112) return 0n;
    const afterFee = amount * 997n;
    return (afterFee * reserveOut) / (reserveIn * 1000n + afterFee);
  }, amountIn);
}

function v3Answer(hops: Path, answer: Hex | undefined): { amount: bigint; gas: bigint } {
  try {
    const [amount, pricesAfter, , gas] = decodeAbiParameters(quoterOutputs, answer ?? '0x');
    const limits = hops.map((hop) => (sellsToken0(hop) ? MIN_SQRT_PRICE : MAX_SQRT_PRICE));
    const isFilled = limits.every((limit, index) => pricesAfter[index] !== limit);
    return { amount: isFilled ? amount : 0n, gas };
  } catch {
    return { amount: 0n, gas: 0n }; // it reverted, or is no quoter's
  }
}

interface Market {
  readonly price: Price;
  /** In base units of what is sold. */
  readonly depth: bigint;
}

/** Of the native token: a pool with less of it says nothing of its price. */
const MIN_DEPTH = 10n ** 17n;

/**
 * The price of the native token in another, from the deepest market of the two: a pool, or two pools with a token between
 * them; undefined if there is none. Good enough to weigh gas with, not to trade by.
 */
function nativePrice(pools: readonly PoolState[], native: Address, token: Address): Price | undefined {
  if (token === native) return { numerator: 1n, denominator: 1n };
  const middles = new Set(pools.flatMap(({ hop }) => [hop.tokenIn, hop.tokenOut]));
  const indirect = [...middles].flatMap((middle): Market[] => {
    const [first, second] = [deepest(pools, native, middle), deepest(pools, middle, token)];
    if (!first || !second) return [];
    const inNative = (second.depth * first.price.denominator) / first.price.numerator;
    const price = {
      numerator: first.price.numerator * second.price.numerator,
      denominator: first.price.denominator * second.price.denominator,
    };
    return [{ price, depth: inNative < first.depth ? inNative : first.depth }];
  });
  const best = deepestOf([...indirect, deepest(pools, native, token) ?? []].flat());
  return best && best.depth >= MIN_DEPTH ? best.price : undefined;
}

function deepest(pools: readonly PoolState[], from: Address, to: Address): Market | undefined {
  const markets = pools.flatMap(({ hop, price, reserveIn, reserveOut, isActive }): Market[] => {
    const { numerator, denominator } = price;
    if (!isActive || numerator === 0n || denominator === 0n) return [];
    if (hop.tokenIn === from && hop.tokenOut === to) return [{ price, depth: reserveIn }];
    if (hop.tokenIn !== to || hop.tokenOut !== from) return [];
    return [{ price: { numerator: denominator, denominator: numerator }, depth: reserveOut }];
  });
  return deepestOf(markets);
}

function deepestOf(markets: readonly Market[]): Market | undefined {
  return markets.toSorted((a, b) => (a.depth < b.depth ? 1 : -1))[0];
}
