/** The reads before a quote: the pools' prices and reserves, the tokens, and which V2 the router trades. */
import type { Hex } from 'viem';
import type { Address } from '../../shared/evm/values.ts';
import type { UniswapNode } from './deployments.ts';
import { type Read, readAll, word } from './multicall.ts';
import { type Hop, type Path, sellsToken0 } from './pools.ts';
import { type TokenInfo, tokenCalls, tokenInfo, tokenReads } from './tokens.ts';

/** A price as a fraction of base units: the output for one unit of the input before the trade. */
export interface Price {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A V2 or V3 pool in a block, in the direction of a hop. */
export interface PoolState {
  readonly hop: Hop;
  /** The price before the trade. */
  readonly price: Price;
  /** A V2 pool's reserves; for V3, roughly the amounts available at its price, limited to its balances. */
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** Whether the pool can pay anything. */
  readonly isUsable: boolean;
  /** V3: whether it has liquidity at its current price. */
  readonly isActive: boolean;
}

export interface States {
  /** The states of existing pools. */
  readonly pools: ReadonlyMap<Address, PoolState>;
  readonly tokens: ReadonlyMap<Address, TokenInfo>;
  /** Whether SwapRouter02 was built with the V2 factory whose pairs are read here. */
  readonly isOneRouter: boolean;
}

const FACTORY_V2 = '0x68e0d4e1'; // factoryV2()
const SLOT0 = '0x3850c7bd'; // slot0()
const LIQUIDITY = '0x1a686502'; // liquidity()
const GET_RESERVES = '0x0902f1ac'; // getReserves()
/** The pools' own code needs a third of it. */
const POOL_GAS = 30_000n;

/** Reads everything in one round. Throws node failures. */
export async function readStates(
  node: UniswapNode,
  paths: readonly Path[],
  block: bigint,
  deadline: number,
): Promise<States> {
  const { uniswap, tokens: known } = node.chain;
  const hops = [...new Map(paths.flat().map((hop) => [hop.pool, hop])).values()];
  const tokens = new Set(hops.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const unknown = [...tokens].filter((token) => !known.some(({ address }) => address === token));
  const reads = [
    { to: uniswap.router, data: FACTORY_V2 } as const,
    ...unknown.flatMap(tokenReads),
    ...hops.flatMap(stateReads),
  ];
  const answers = await readAll(node, reads, block, deadline);
  const next = ({ length }: readonly Read[]) => answers.splice(0, length);

  const [factory] = answers.splice(0, 1);
  const infos = unknown.map((token) => tokenInfo(token, next(tokenReads(token))));
  const states = hops.flatMap((hop) => stateOf(hop, next(stateReads(hop))) ?? []);
  return {
    pools: new Map(states.map((state) => [state.hop.pool, state])),
    tokens: new Map([...known, ...infos].map((token) => [token.address, token])),
    isOneRouter: factory !== undefined && word(factory, 0) === BigInt(uniswap.v2Factory),
  };
}

function stateReads({ type, pool, tokenOut }: Hop): Read[] {
  if (type === 'v2') return [{ to: pool, data: GET_RESERVES, gas: POOL_GAS }];
  return [
    { to: pool, data: SLOT0, gas: POOL_GAS },
    { to: pool, data: LIQUIDITY, gas: POOL_GAS },
    // A pool may be initialised and empty: searching all its ticks in vain is the most expensive trade.
    { to: tokenOut, data: tokenCalls.balanceOf(pool) },
  ];
}

/** Undefined if the pool does not exist or has no price. */
function stateOf(hop: Hop, [first, second, third]: readonly (Hex | undefined)[]): PoolState | undefined {
  if (!first) return undefined;
  if (hop.type === 'v2') {
    const [reserveIn, reserveOut] = inOrder(hop, word(first, 0), word(first, 1));
    const isUsable = reserveIn > 0n && reserveOut > 0n;
    const price = { numerator: reserveOut, denominator: reserveIn };
    return { hop, price, reserveIn, reserveOut, isUsable, isActive: isUsable };
  }
  const root = word(first, 0); // of token1 per token0, times 2^96
  if (root === 0n) return undefined;
  const liquidity = second ? word(second, 0) : 0n;
  const [denominator, numerator] = inOrder(hop, 2n ** 192n, root * root);
  const [virtualIn, virtualOut] = inOrder(hop, (liquidity << 96n) / root, (liquidity * root) >> 96n);
  const held = third ? word(third, 0) : 0n;
  // A little money in a narrow range looks like much, so the pool's balance limits its depth.
  const isShallow = held < virtualOut;
  return {
    hop,
    price: { numerator, denominator },
    reserveIn: isShallow ? (virtualIn * held) / virtualOut : virtualIn,
    reserveOut: isShallow ? held : virtualOut,
    isUsable: held > 0n,
    isActive: liquidity > 0n,
  };
}

/** Maps a pair of values of token0 and token1 to the direction of the trade. */
function inOrder<T>(hop: Hop, of0: T, of1: T): readonly [T, T] {
  return sellsToken0(hop) ? [of0, of1] : [of1, of0];
}
