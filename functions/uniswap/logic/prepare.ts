import { meetNodes, servedChains } from '../../../shared/evm/nodes.ts';
import { uniswapChain } from '../deployments.ts';
import { candidatePaths } from './paths.ts';

/**
 * What a quote needs, before the first request: the nodes, and the pools between the common tokens of each chain. Hashing
 * them for the first time takes 30 ms of a whole core, and 200 on the share of 256 MB. Never throws.
 */
export async function prepare(): Promise<void> {
  const met = meetNodes();
  for (const name of servedChains()) {
    const { uniswap } = uniswapChain(name);
    const [wrapped, other] = uniswap.intermediates;
    if (wrapped && other) candidatePaths(uniswap, wrapped, other);
  }
  await met;
}
