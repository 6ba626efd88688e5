import type { Dependencies } from '../http/endpoint.ts';
import { type ChainName, chains } from './chains.ts';
import { type Node, nodeOf } from './node.ts';

export type NodeDependencies = Pick<Dependencies, 'environment' | 'secret'>;

/** The node of the request's chain. Throws the 500 of a missing secret. */
export async function nodeFor(name: ChainName, { environment, secret }: NodeDependencies): Promise<Node> {
  const chain = chains[name];
  return nodeOf(chain, await secret(chain.rpcUrlSecret), Number(environment.UPSTREAM_TIMEOUT_MS));
}
