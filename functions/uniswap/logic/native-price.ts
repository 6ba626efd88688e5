import type { Address } from '../../../shared/evm/values.ts';
import type { Price } from './arithmetic.ts';
import type { PoolState, PoolStates } from './pool-states.ts';

interface Market {
  readonly price: Price;
  /** In base units of what is sold. */
  readonly depth: bigint;
}

/** Of the native token: a pool with less of it says nothing of its price. */
const MIN_DEPTH = 10n ** 17n;

/**
 * The price of the native token in another, from the deepest pool of the two, else through the token that gives the
 * deepest two pools; undefined if neither is there. Good enough to weigh gas with, not to trade by.
 */
export function nativePrice(states: PoolStates, native: Address, token: Address): Price | undefined {
  if (token === native) return { numerator: 1n, denominator: 1n };
  const pools = [...states.values()];
  const direct = deepest(pools, native, token);
  if (direct && direct.depth >= MIN_DEPTH) return direct.price;
  const middles = new Set(pools.flatMap(({ hop }) => [hop.tokenIn, hop.tokenOut]));
  const markets = [...middles].flatMap((middle): Market[] => {
    const [first, second] = [deepest(pools, native, middle), deepest(pools, middle, token)];
    if (!first || !second) return [];
    const inNative = (second.depth * first.price.denominator) / first.price.numerator;
    const depth = inNative < first.depth ? inNative : first.depth;
    return [{ price: times(first.price, second.price), depth }];
  });
  const best = deepestOf(markets);
  return best && best.depth >= MIN_DEPTH ? best.price : undefined;
}

function deepest(pools: readonly PoolState[], from: Address, to: Address): Market | undefined {
  const markets = pools.flatMap(({ hop, price, reserveIn, reserveOut, isActive }): Market[] => {
    if (!isActive || price.numerator === 0n || price.denominator === 0n) return [];
    if (hop.tokenIn === from && hop.tokenOut === to) return [{ price, depth: reserveIn }];
    if (hop.tokenIn === to && hop.tokenOut === from) return [{ price: inverse(price), depth: reserveOut }];
    return [];
  });
  return deepestOf(markets);
}

function deepestOf(markets: readonly Market[]): Market | undefined {
  return markets.reduce<Market | undefined>(
    (best, market) => (best && best.depth >= market.depth ? best : market),
    undefined,
  );
}

const inverse = ({ numerator, denominator }: Price): Price => ({
  numerator: denominator,
  denominator: numerator,
});

const times = (a: Price, b: Price): Price => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});
