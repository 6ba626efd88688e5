import type { Address } from '../../../shared/evm/address.ts';
import type { UniswapContracts } from '../deployments.ts';
import { type Hop, v2Hop, v3Hop } from './pools.ts';

/** A way from one token to another, through pools of one version: no router of V2 or V3 mixes them. */
export interface Path {
  readonly type: Hop['type'];
  readonly hops: readonly Hop[];
}

/** Every way that is worth a look: V2 and each V3 fee tier, direct first, then through one intermediate token. */
export function candidatePaths(contracts: UniswapContracts, tokenIn: Address, tokenOut: Address): Path[] {
  const middles = contracts.intermediates.filter((token) => token !== tokenIn && token !== tokenOut);
  const v3 = (from: Address, to: Address) =>
    contracts.v3.feeTiers.map((feeTier) => v3Hop(contracts, from, to, feeTier));
  const direct: Path[] = [
    { type: 'v2', hops: [v2Hop(contracts, tokenIn, tokenOut)] },
    ...v3(tokenIn, tokenOut).map((hop): Path => ({ type: 'v3', hops: [hop] })),
  ];
  const indirect = middles.flatMap((middle): Path[] => {
    const seconds = v3(middle, tokenOut);
    return [
      { type: 'v2', hops: [v2Hop(contracts, tokenIn, middle), v2Hop(contracts, middle, tokenOut)] },
      ...v3(tokenIn, middle).flatMap((first) =>
        seconds.map((second): Path => ({ type: 'v3', hops: [first, second] })),
      ),
    ];
  });
  return [...direct, ...indirect];
}
