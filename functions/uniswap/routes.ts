/** The best routes from one token to another at a block, by the pools' output and the gas cost. */
import type { Hex } from 'viem';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import type { Block } from '../../shared/evm/node.ts';
import type { Address } from '../../shared/evm/values.ts';
import type { UniswapNode } from './deployments.ts';
import { gasOf } from './gas.ts';
import { abiFunction, type Read, readAll, types } from './multicall.ts';
import { candidatePaths, encodeV3Path, type Hop, type Path, sellsToken0 } from './pools.ts';
import { type PoolState, type Price, readStates, type States } from './states.ts';

/** A path with its pools' output for the amount. */
export interface Route {
  readonly hops: Path;
  /** The amount that the last pool pays, in base units, before the tokens' transfer fees. */
  readonly amountOut: bigint;
  /** The price of each hop before the trade. */
  readonly prices: readonly Price[];
  /** An estimate for the whole transaction, in units of gas. */
  readonly gas: bigint;
}

export interface Routes extends Pick<States, 'tokens' | 'isOneRouter'> {
  /** The best of each kind, best first. */
  readonly ranked: readonly Route[];
  /** The price of a unit of gas in base units of the output; undefined if no pool shows it. */
  readonly gasWorth: Price | undefined;
}

interface Wanted {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

type Pools = States['pools'];

/** Finds the best routes in two rounds: the pools' states, and the quotes of V3's quoter. Throws node failures. */
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
 * Sorts by the output after gas; for equal ones the shorter path comes first. A kind is the versions of the first and
 * the last pool, which decide whether a token with transfer fees can be traded.
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

/** The cost of gas in the output, rounded down; 0 if no pool shows the price. */
export function costOfGas(gas: bigint, worth: Price | undefined): bigint {
  return worth ? (gas * worth.numerator) / worth.denominator : 0n;
}

/**
 * The gas of a trade that crosses sixty initialised ticks: 38,000 each, measured. An initialised pool without liquidity
 * uses its whole limit.
 */
const QUOTER_GAS = 2_500_000n;
// V3 prices cannot pass these limits (TickMath); a trade that ends there was not filled.
const MIN_SQRT_PRICE = 4295128740n;
const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970341n;

/** The quoter's call with a path and the amount in. */
const quoterAbi = [abiFunction('quoteExactInput', 'bytes', 'uint256')] as const;
/** The amount out, each hop's price after the trade, each hop's initialised ticks crossed, and the gas (QuoterV2). */
const quoterOutputs = types('uint256', 'uint160[]', 'uint32[]', 'uint256');

const isV3 = ({ type }: Hop) => type === 'v3';

/** The quoter's call for a path's V3 pools, which are always adjacent; undefined without any. */
function quoterRead(quoter: Address, hops: Path, amountIn: bigint, pools: Pools): Read | undefined {
  const start = hops.findIndex(isV3);
  if (start < 0) return undefined;
  const amount = throughV2(hops.slice(0, start), amountIn, pools);
  const args = [encodeV3Path(hops.filter(isV3)), amount] as const;
  return { to: quoter, data: encodeFunctionData({ abi: quoterAbi, args }), gas: QUOTER_GAS };
}

/** A path's output, with the quoter's result for its V3 pools; undefined if there is none. */
function routeOf(hops: Path, amountIn: bigint, pools: Pools, answer: Hex | undefined): Route | undefined {
  const lastV3 = hops.findLastIndex(isV3);
  const v3 = lastV3 < 0 ? { amount: amountIn, gas: 0n } : v3Answer(hops.filter(isV3), answer);
  const amountOut = throughV2(hops.slice(lastV3 + 1), v3.amount, pools);
  if (amountOut === 0n) return undefined;
  const prices = hops.flatMap(({ pool }) => pools.get(pool)?.price ?? []);
  return { hops, amountOut, prices, gas: gasOf(hops, v3.gas) };
}

const MAX_UINT112 = 2n ** 112n - 1n;

/** UniswapV2Library.getAmountOut along the pairs: 0.3 % of the input is the fee. 0 if one is empty or would overflow. */
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
    return { amount: 0n, gas: 0n }; // it reverted, or is not a quoter's
  }
}

interface Market {
  readonly price: Price;
  /** The market's depth in base units of the token sold. */
  readonly depth: bigint;
}

/** The smallest depth in the native token: the price of a pool with less is meaningless. */
const MIN_DEPTH = 10n ** 17n;

/**
 * The price of the native token in another, from the deepest market of the two: a pool, or two pools with a token
 * between them; undefined if there is none. Good enough to weigh gas, not to trade by.
 */
function nativePrice(pools: readonly PoolState[], native: Address, token: Address): Price | undefined {
  if (token === native) return { numerator: 1n, denominator: 1n };
  const middles = new Set(pools.flatMap(({ hop }) => [hop.tokenIn, hop.tokenOut]));
  const indirect = [...middles].flatMap((middle): Market[] => {
    const first = deepest(pools, native, middle);
    const second = deepest(pools, middle, token);
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
