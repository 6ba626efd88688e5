import type { Hex } from 'viem';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import type { UniswapContracts } from '../deployments.ts';
import { field, nonpayable } from './abi.ts';
import type { Price } from './arithmetic.ts';
import { gasOf } from './gas.ts';
import { kindOf, type Path, type PathKind } from './paths.ts';
import { type PoolState, type PoolStates, paidByV2 } from './pool-states.ts';
import { encodeV3Path, type Hop, sellsToken0 } from './pools.ts';
import type { Read } from './read-all.ts';
import { arriving, type Transfer } from './taxes.ts';

/** A path with what it gives for the amount. */
export interface PathQuote extends Path {
  readonly kind: PathKind;
  /** What arrives, in base units: after what the tokens keep for themselves. */
  readonly amountOut: bigint;
  /** What the first pool gets and the last one pays: without what the tokens keep for themselves. */
  readonly pooled: { readonly amountIn: bigint; readonly amountOut: bigint };
  /** Before the trade, hop by hop. */
  readonly prices: readonly Price[];
  /** About what the whole transaction uses, in units of gas. */
  readonly gas: bigint;
}

/** What the trade's tokens do to it: on the way into the first pool, and out of the last. */
interface TradeTaxes {
  readonly sell: Transfer | undefined;
  readonly buy: Transfer | undefined;
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
export function quoterRead(
  { v3 }: UniswapContracts,
  { hops }: Path,
  amountIn: bigint,
  sell: Transfer | undefined,
  states: PoolStates,
): Read | undefined {
  const start = hops.findIndex(isV3);
  if (start < 0) return undefined;
  const amount = start === 0 ? amountIn : throughV2(hops.slice(0, start), arriving(sell, amountIn), states);
  const args = [encodeV3Path(hops.filter(isV3)), amount] as const;
  return { to: v3.quoter, data: encodeFunctionData({ abi: quoterAbi, args }), gas: QUOTER_GAS };
}

/** What a path gives, with the quoter's answer about its pools of V3; undefined if it gives nothing. */
export function quotePath(
  path: Path,
  amountIn: bigint,
  { sell, buy }: TradeTaxes,
  states: PoolStates,
  answer: Hex | undefined,
): PathQuote | undefined {
  const { hops } = path;
  const pooledIn = hops.every(isV3)
    ? amountIn
    : arriving(hops[0]?.type === 'v2' ? sell : undefined, amountIn);
  const lastV3 = hops.findLastIndex(isV3);
  const v3 = lastV3 < 0 ? { amount: pooledIn, gas: 0n } : v3Answer(hops.filter(isV3), answer);
  const pooledOut = throughV2(hops.slice(lastV3 + 1), v3.amount, states);
  const amountOut = hops.at(-1)?.type === 'v2' ? arriving(buy, pooledOut) : pooledOut;
  if (amountOut === 0n) return undefined;
  const prices = hops.flatMap(({ pool }) => states.get(pool)?.price ?? []);
  const pooled = { amountIn: pooledIn, amountOut: pooledOut };
  return { hops, kind: kindOf(path), amountOut, pooled, prices, gas: gasOf(hops, v3.gas) };
}

function throughV2(hops: readonly Hop[], amountIn: bigint, states: PoolStates): bigint {
  return hops.reduce((amount, { pool }) => {
    const state: PoolState | undefined = states.get(pool);
    return state ? paidByV2(state, amount) : 0n;
  }, amountIn);
}

function v3Answer(hops: readonly Hop[], answer: Hex | undefined): { amount: bigint; gas: bigint } {
  const decoded = answer && decodedAnswer(answer);
  if (!decoded) return { amount: 0n, gas: 0n };
  const [amount, pricesAfter, , gas] = decoded;
  const limits = hops.map((hop) => (sellsToken0(hop) ? MIN_SQRT_PRICE : MAX_SQRT_PRICE));
  const isFilled = limits.every((limit, index) => pricesAfter[index] !== limit);
  return { amount: isFilled ? amount : 0n, gas };
}

function decodedAnswer(answer: Hex) {
  try {
    return decodeAbiParameters(quoterOutputs, answer);
  } catch {
    return undefined; // of no quoter
  }
}
