import type { Block } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';
import type { UniswapNode } from '../deployments.ts';
import type { Price } from './arithmetic.ts';
import { nativePrice } from './native-price.ts';
import { candidatePaths, kindOf, type Path } from './paths.ts';
import type { PoolState, PoolStates } from './pool-states.ts';
import { type PathQuote, quotePath, quoterRead } from './quoter.ts';
import { readAll } from './read-all.ts';
import { readStates } from './read-states.ts';
import { keepsSome, noTaxes, type Taxes, taxBps, taxesOf } from './taxes.ts';
import type { Metadata } from './token-metadata.ts';

/** A token that a route passes, as the token itself and a probe of it tell. */
export interface RouteToken {
  readonly address: Address;
  /** A stranger's text, without control and direction characters. */
  readonly symbol: string | null;
  readonly decimals: number | null;
  /** Hundredths of a percent that are lost on the way out of a pool; null if that is not known. */
  readonly buyTaxBps: number | null;
  /** Hundredths of a percent that are lost on the way into a pool; null if that is not known. */
  readonly sellTaxBps: number | null;
}

export interface Routes {
  /** The best of each kind, best first. */
  readonly ranked: readonly PathQuote[];
  /** Of all routes that were looked at. */
  readonly tokens: ReadonlyMap<Address, RouteToken>;
  /** SwapRouter02 trades in the pairs of V2 that are quoted here. */
  readonly isOneRouter: boolean;
  /** A unit of gas in base units of the output; undefined if no pool tells. */
  readonly gasWorth: Price | undefined;
  /** A token that keeps something of its transfers, for which routes through V3 were left out. */
  readonly excludedBy: RouteToken | undefined;
}

interface Wanted {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
}

/** Finds the best routes in three or four rounds: states, taxes if they are not known, quotes of V3's quoter. */
export async function findRoutes(
  node: UniswapNode,
  wanted: Wanted,
  block: Block,
  deadline: number,
): Promise<Routes> {
  const { uniswap, wrappedNative } = node.chain;
  const { tokenIn, tokenOut, amountIn } = wanted;
  const candidates = candidatePaths(uniswap, tokenIn, tokenOut);
  const states = await readStates(node, candidates, block.number, deadline);
  const { pools, isOneRouter } = states;

  const isUsable = ({ hops }: Path) => hops.every(({ pool }) => pools.get(pool)?.isUsable);
  const usable = candidates.filter((path) => isUsable(path) && (isOneRouter || kindOf(path) !== 'mixed'));
  const taxes = await readTaxes(node, wanted, pools, block.number, deadline);
  const [{ sell }, { buy }] = [taxes.get(tokenIn) ?? noTaxes, taxes.get(tokenOut) ?? noTaxes];
  // A pool of V3 refuses to be paid less than all, and behind one no router looks at what arrives.
  const paths = usable.filter(
    ({ hops }) =>
      !(keepsSome(sell) && hops[0]?.type === 'v3') && !(keepsSome(buy) && hops.at(-1)?.type === 'v3'),
  );

  const questions = paths.map((path) => quoterRead(uniswap, path, amountIn, sell, pools));
  const reads = questions.filter((question) => question !== undefined);
  const answers = await readAll(node, uniswap.multicall, reads, block.number, deadline);
  const answerTo = new Map(reads.map((read, index) => [read, answers[index]]));
  const quotes = paths.flatMap((path, index) => {
    const question = questions[index];
    const answer = question && answerTo.get(question);
    return quotePath(path, amountIn, { sell, buy }, pools, answer) ?? [];
  });

  const gasWorth = worthOfGas(
    block.baseFeePerGas + uniswap.priorityFee,
    nativePrice(pools, wrappedNative, tokenOut),
  );
  const tokens = new Map(
    [...states.metadata].map(([address, data]) => [
      address,
      routeToken(address, data, taxes.get(address), uniswap.intermediates),
    ]),
  );
  const excluding = keepsSome(sell) ? tokenIn : tokenOut;
  return {
    ranked: bestOfEachKind(quotes, gasWorth),
    tokens,
    isOneRouter,
    gasWorth,
    excludedBy: paths.length < usable.length ? tokens.get(excluding) : undefined,
  };
}

/** What the trade's own tokens keep; the tokens that routes pass through keep nothing. */
function readTaxes(
  node: UniswapNode,
  { tokenIn, tokenOut, amountIn }: Wanted,
  pools: PoolStates,
  block: bigint,
  deadline: number,
): Promise<ReadonlyMap<Address, Taxes>> {
  const sides = [{ token: tokenIn, amount: amountIn }, { token: tokenOut }];
  const strangers = sides.filter(({ token }) => !node.chain.uniswap.intermediates.includes(token));
  const probed = strangers.map((side) => {
    const isOfToken = ({ hop }: PoolState) => hop.tokenIn === side.token || hop.tokenOut === side.token;
    return { ...side, pools: [...pools.values()].filter(isOfToken) };
  });
  return taxesOf(node, probed, block, deadline);
}

function routeToken(
  address: Address,
  { symbol, decimals }: Metadata,
  taxes: Taxes | undefined,
  intermediates: readonly Address[],
): RouteToken {
  if (intermediates.includes(address)) return { address, symbol, decimals, buyTaxBps: 0, sellTaxBps: 0 };
  return { address, symbol, decimals, buyTaxBps: taxBps(taxes?.buy), sellTaxBps: taxBps(taxes?.sell) };
}

function worthOfGas(wei: bigint, native: Price | undefined): Price | undefined {
  return native && { numerator: wei * native.numerator, denominator: native.denominator };
}

/** Rounded down; 0 if nobody knows. */
export function costOfGas(gas: bigint, worth: Price | undefined): bigint {
  return worth ? (gas * worth.numerator) / worth.denominator : 0n;
}

/** By what is left after gas; of equals the shorter path first. */
function bestOfEachKind(quotes: readonly PathQuote[], gasWorth: Price | undefined): PathQuote[] {
  const left = ({ amountOut, gas }: PathQuote) => amountOut - costOfGas(gas, gasWorth);
  const sorted = quotes.toSorted((a, b) => {
    const [leftOfA, leftOfB] = [left(a), left(b)];
    if (leftOfA === leftOfB) return 0;
    return leftOfA > leftOfB ? -1 : 1;
  });
  const kinds = new Set(sorted.map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => sorted.find((quote) => quote.kind === kind) ?? []);
}
