import type { Hex } from 'viem';
import type { Address } from '../../../shared/evm/values.ts';
import { type Price, v2AmountOut, v3Price } from './arithmetic.ts';
import { type Hop, sellsToken0 } from './pools.ts';
import { type Read, word } from './read-all.ts';
import { tokenCalls } from './token-calls.ts';

const SLOT0 = '0x3850c7bd'; // slot0()
const LIQUIDITY = '0x1a686502'; // liquidity()
const GET_RESERVES = '0x0902f1ac'; // getReserves()
const Q96 = 2n ** 96n;
/** The pools' own code needs a third of it. */
const POOL_GAS = 30_000n;

/** A pool of V2 or V3 in a block, seen in the direction of a hop. */
export interface PoolState {
  readonly hop: Hop;
  /** Before the trade. */
  readonly price: Price;
  /** What a pool of V2 holds, and about what one of V3 trades with at its price, as far as it holds it. */
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
  /** The pool can pay something. */
  readonly isUsable: boolean;
  /** Of V3: tokens are traded at its very price. */
  readonly isActive: boolean;
}

/** What to read of a pool, for `stateOf`. */
export function stateReads({ type, pool, tokenOut }: Hop): Read[] {
  if (type === 'v2') return [{ to: pool, data: GET_RESERVES, gas: POOL_GAS }];
  return [
    { to: pool, data: SLOT0, gas: POOL_GAS },
    { to: pool, data: LIQUIDITY, gas: POOL_GAS },
    // A pool may be initialised and empty: to find nothing in all its ticks is the dearest of all trades.
    { to: tokenOut, data: tokenCalls.balanceOf(pool) },
  ];
}

/** Undefined if there is no such pool, or none with a price. */
export function stateOf(
  hop: Hop,
  [first, second, third]: readonly (Hex | undefined)[],
): PoolState | undefined {
  if (!first) return undefined;
  if (hop.type === 'v2') {
    const [reserve0, reserve1] = [word(first, 0), word(first, 1)];
    const [reserveIn, reserveOut] = sellsToken0(hop) ? [reserve0, reserve1] : [reserve1, reserve0];
    const isUsable = reserveIn > 0n && reserveOut > 0n;
    return {
      hop,
      price: { numerator: reserveOut, denominator: reserveIn },
      reserveIn,
      reserveOut,
      isUsable,
      isActive: isUsable,
    };
  }
  const root = word(first, 0);
  if (root === 0n) return undefined;
  const liquidity = second ? word(second, 0) : 0n;
  const [virtual0, virtual1] = [(liquidity * Q96) / root, (liquidity * root) / Q96];
  const [virtualIn, virtualOut] = sellsToken0(hop) ? [virtual0, virtual1] : [virtual1, virtual0];
  const held = third ? word(third, 0) : 0n;
  // A little money in a narrow range looks like much: no pool is deeper than what it can pay.
  const isShallow = held < virtualOut;
  return {
    hop,
    price: v3Price(root, sellsToken0(hop)),
    reserveIn: isShallow ? (virtualIn * held) / virtualOut : virtualIn,
    reserveOut: isShallow ? held : virtualOut,
    isUsable: held > 0n,
    isActive: liquidity > 0n,
  };
}

/** What a pool of V2 pays for what arrives in it. */
export function paidByV2({ reserveIn, reserveOut }: PoolState, amountIn: bigint): bigint {
  return v2AmountOut(amountIn, reserveIn, reserveOut);
}

export type PoolStates = ReadonlyMap<Address, PoolState>;
