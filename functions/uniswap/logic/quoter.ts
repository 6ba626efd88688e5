import type { Hex } from 'viem';
import { decodeAbiParameters, encodeFunctionData } from 'viem/utils';
import type { Address } from '../../../shared/evm/address.ts';
import type { UniswapContracts, UniswapNode } from '../deployments.ts';
import { field, nonpayable } from './abi.ts';
import { type Price, v2AmountOut, v3Price } from './arithmetic.ts';
import { candidatePaths, type Path } from './paths.ts';
import { encodeV3Path, type Hop, sellsToken0 } from './pools.ts';
import { type Read, readAll, word } from './read-all.ts';

/** A path with what it gives for the amount. */
export interface PathQuote extends Path {
  readonly amountOut: bigint;
  /** Before the trade, hop by hop. */
  readonly prices: readonly Price[];
}

const SLOT0 = '0x3850c7bd'; // slot0()
const GET_RESERVES = '0x0902f1ac'; // getReserves()
// One beyond these no V3 price goes (TickMath); a trade that ends there was not filled.
const MIN_SQRT_PRICE = 4295128740n;
const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970341n;

const quoterInputs = [field('path', 'bytes'), field('amountIn', 'uint256')] as const;
const quoterAbi = [{ ...nonpayable, name: 'quoteExactInput', inputs: quoterInputs, outputs: [] }] as const;
/** The amount out and each hop's price after; ticks and gas follow (QuoterV2). */
const quoterOutputs = [{ type: 'uint256' }, { type: 'uint160[]' }] as const;

/** The path that gives most for an exact input at a block, the shorter one of equals; undefined if none gives any. */
export async function bestPath(
  node: UniswapNode,
  trade: { readonly tokenIn: Address; readonly tokenOut: Address; readonly amountIn: bigint },
  block: bigint,
  deadline: number,
): Promise<PathQuote | undefined> {
  const { uniswap } = node.chain;
  const paths = candidatePaths(uniswap, trade.tokenIn, trade.tokenOut);
  const pools = [...new Map(paths.flatMap(({ hops }) => hops).map((hop) => [hop.pool, hop])).values()];
  const v3Paths = paths.filter(({ type }) => type === 'v3');
  const reads: Read[] = [
    ...pools.map(({ type, pool }): Read => ({ to: pool, data: type === 'v2' ? GET_RESERVES : SLOT0 })),
    ...v3Paths.map((path) => quoterRead(uniswap, path, trade.amountIn)),
  ];
  const answers = await readAll(node, uniswap.multicall, reads, block, deadline);
  const states = new Map(pools.map(({ pool }, index) => [pool, answers[index]]));
  const quoted = new Map(v3Paths.map((path, index) => [path, answers[pools.length + index]]));

  let best: PathQuote | undefined;
  for (const path of paths) {
    const amountOut =
      path.type === 'v2'
        ? v2PathAmount(path.hops, trade.amountIn, states)
        : v3PathAmount(path.hops, quoted.get(path));
    if (amountOut > (best?.amountOut ?? 0n)) {
      const prices = path.hops.map((hop) => priceOf(hop, states.get(hop.pool)));
      best = { ...path, amountOut, prices };
    }
  }
  return best;
}

function quoterRead({ v3 }: UniswapContracts, { hops }: Path, amountIn: bigint): Read {
  const args = [encodeV3Path(hops), amountIn] as const;
  return { to: v3.quoter, data: encodeFunctionData({ abi: quoterAbi, args }) };
}

function v2PathAmount(
  hops: readonly Hop[],
  amountIn: bigint,
  states: ReadonlyMap<Address, Hex | undefined>,
): bigint {
  return hops.reduce((amount, hop) => {
    const [reserveIn, reserveOut] = reserves(hop, states.get(hop.pool));
    return v2AmountOut(amount, reserveIn, reserveOut);
  }, amountIn);
}

function v3PathAmount(hops: readonly Hop[], answer: Hex | undefined): bigint {
  if (!answer) return 0n;
  const [amountOut, pricesAfter] = decodeAbiParameters(quoterOutputs, answer);
  const limits = hops.map((hop) => (sellsToken0(hop) ? MIN_SQRT_PRICE : MAX_SQRT_PRICE));
  const isFilled = limits.every((limit, index) => pricesAfter[index] !== limit);
  return isFilled ? amountOut : 0n;
}

function reserves(hop: Hop, state: Hex | undefined): readonly [bigint, bigint] {
  if (!state) return [0n, 0n];
  const [reserve0, reserve1] = [word(state, 0), word(state, 1)];
  return sellsToken0(hop) ? [reserve0, reserve1] : [reserve1, reserve0];
}

function priceOf(hop: Hop, state: Hex | undefined): Price {
  if (hop.type === 'v3') return v3Price(state ? word(state, 0) : 0n, sellsToken0(hop));
  const [reserveIn, reserveOut] = reserves(hop, state);
  return { numerator: reserveOut, denominator: reserveIn };
}
