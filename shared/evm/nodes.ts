/** The chains that this function serves, and their nodes. */

import { type ChainName, chainNames, chains } from '../chains.ts';
import type { Dependencies } from '../http/endpoint.ts';
import { ApiError } from '../http/errors.ts';
import { invalidParameter } from '../http/middleware/input.ts';
import { fetchedSecret } from '../platform/fetched-secret.ts';
import { beforeRequests } from '../platform/waiting.ts';
import { createNode, type Node } from './node.ts';

export type NodeDependencies = Pick<Dependencies, 'environment' | 'secret'>;

/** The chains with a configured node, in the order of the table. */
export function servedChains(): ChainName[] {
  return chainNames.filter((name) => process.env[chains[name].rpcUrlSecret]);
}

/**
 * The request's chain; by default the first that is served. Throws the 400 that lists them for any other, and the 500 of a
 * wrong configuration if there is none.
 */
export function servedChain(name?: ChainName): ChainName {
  const served = servedChains();
  const [first] = served;
  if (first === undefined) throw ApiError.serverConfiguration('no chain is configured');
  if (name === undefined) return first;
  if (served.includes(name)) return name;
  throw invalidParameter('chain', name, `${served.join(', ')} (the chains that this service serves)`);
}

/** The node of the request's chain, or of the default. Throws as servedChain. */
export async function nodeFor(name: ChainName | undefined, dependencies: NodeDependencies): Promise<Node> {
  return configuredNode(servedChain(name), dependencies);
}

const kept = new Map<ChainName, { readonly secret: string; readonly node: Node }>();

/**
 * The node of a chain that is not the request's `chain` parameter. A container keeps it with its connections until the secret
 * changes. Throws the 500 of a missing secret.
 */
export async function configuredNode(
  name: ChainName,
  { environment, secret }: NodeDependencies,
): Promise<Node> {
  const chain = chains[name];
  const urls = await secret(chain.rpcUrlSecret);
  const known = kept.get(name);
  if (known?.secret === urls) return known.node;
  const node = createNode(chain, urls, Number(environment.UPSTREAM_TIMEOUT_MS));
  kept.set(name, { secret: urls, node });
  return node;
}

/**
 * Fetches the secrets of the served chains and checks each node's chain before the first request: the handshakes, and code that
 * runs for the first time, take seven times as long on the share of 256 MB. Never throws.
 */
export function meetNodes(): Promise<void> {
  return beforeRequests(
    servedChains().map((name) => async (environment) => {
      const node = await configuredNode(name, { environment, secret: fetchedSecret });
      await node.assertChain(Date.now() + Number(environment.UPSTREAM_TIMEOUT_MS));
    }),
  );
}
