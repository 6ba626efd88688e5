import type { Dependencies } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { invalidParameter } from '../http/middleware/input.ts';
import { type ChainName, chainNames, chains } from './chains.ts';
import { type Node, nodeOf } from './node.ts';

export type NodeDependencies = Pick<Dependencies, 'environment' | 'secret'>;

/** The chains whose nodes this function was given, in the order of the table. */
export function servedChains(): ChainName[] {
  return chainNames.filter((name) => process.env[chains[name].rpcUrlSecret]);
}

/**
 * The request's chain; the first of those that are `served` unless it names one. Throws the 400 that lists them for any
 * other, and the 500 of a wrong configuration if there is none.
 */
export function servedChain(name?: ChainName, served: readonly ChainName[] = servedChains()): ChainName {
  const [first] = served;
  if (first === undefined) throw ApiError.serverConfiguration('no chain is configured');
  if (name === undefined) return first;
  if (served.includes(name)) return name;
  throw invalidParameter('chain', name, `${served.join(', ')} (the chains that this service serves)`);
}

/** The node of the request's chain, which may name none. Throws as servedChain. */
export async function nodeFor(name: ChainName | undefined, dependencies: NodeDependencies): Promise<Node> {
  return configuredNode(servedChain(name), dependencies);
}

/** The node of a chain that the request does not name as `chain`. Throws the 500 of a missing secret. */
export async function configuredNode(
  name: ChainName,
  { environment, secret }: NodeDependencies,
): Promise<Node> {
  const chain = chains[name];
  return nodeOf(chain, await secret(chain.rpcUrlSecret), Number(environment.UPSTREAM_TIMEOUT_MS));
}
