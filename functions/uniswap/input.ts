import { type ChainName, chains } from '../../shared/chains.ts';
import { type NodeDependencies, nodeFor as plainNodeFor, servedChain } from '../../shared/evm/nodes.ts';
import { parseTrade } from '../../shared/evm/values.ts';
import type { InputOf } from '../../shared/http/route.ts';
import { type UniswapNode, uniswapChain } from './deployments.ts';
import type { route } from './quote/route.ts';
import type { Trade } from './quote.ts';

/** The node of the request's chain, or of the default one. Throws as servedChain. */
export async function nodeFor(
  name: ChainName | undefined,
  dependencies: NodeDependencies,
): Promise<UniswapNode> {
  const node = await plainNodeFor(name, dependencies);
  return { ...node, chain: uniswapChain(servedChain(name)) };
}

/** The requested trade. Throws as servedChain and parseTrade. */
export async function tradeOf(
  { chain, router, ...input }: InputOf<typeof route>,
  dependencies: NodeDependencies,
): Promise<{ readonly node: UniswapNode; readonly trade: Trade }> {
  const trade = { ...parseTrade(chains[servedChain(chain)], input), ...(router && { router }) };
  return { node: await nodeFor(chain, dependencies), trade };
}
