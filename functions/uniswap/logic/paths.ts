import type { Address } from '../../../shared/evm/values.ts';
import type { UniswapContracts } from '../deployments.ts';
import { type Hop, v2Hop, v3Hop } from './pools.ts';

/** A way from one token to another. */
export interface Path {
  readonly hops: readonly Hop[];
}

export type PathKind = 'v2' | 'v3' | 'mixed';

export function kindOf({ hops }: Path): PathKind {
  const [first, second = first] = hops;
  if (first && first.type === second?.type) return first.type;
  return 'mixed';
}

/** The pools of two tokens, whether or not they have been created: V2's, then V3's of each tier. */
export function poolsOf(contracts: UniswapContracts, tokenIn: Address, tokenOut: Address): Hop[] {
  const { feeTiers } = contracts.v3;
  const v3 = feeTiers.map((feeTier) => v3Hop(contracts, tokenIn, tokenOut, feeTier));
  return [v2Hop(contracts, tokenIn, tokenOut), ...v3];
}

/** Every way that is worth a look, of any versions: direct first, then through one intermediate token. */
export function candidatePaths(contracts: UniswapContracts, tokenIn: Address, tokenOut: Address): Path[] {
  const middles = contracts.intermediates.filter((token) => token !== tokenIn && token !== tokenOut);
  const direct = poolsOf(contracts, tokenIn, tokenOut).map((hop): Path => ({ hops: [hop] }));
  const indirect = middles.flatMap((middle) => {
    const seconds = poolsOf(contracts, middle, tokenOut);
    return poolsOf(contracts, tokenIn, middle).flatMap((first) =>
      seconds.map((second): Path => ({ hops: [first, second] })),
    );
  });
  return [...direct, ...indirect];
}
