import { chains } from '../../shared/evm/chains.ts';
import { createNode, type Node } from '../../shared/evm/node.ts';

export function nodeAt(url: string, chain = chains.local): Node {
  return createNode(chain, url, 10_000);
}

export const soon = () => Date.now() + 10_000;
