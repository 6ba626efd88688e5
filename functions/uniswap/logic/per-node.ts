import type { Node } from '../../../shared/evm/node.ts';
import type { Rpc } from '../../../shared/evm/rpc.ts';

/** What this container knows of a node's chain, one of its own for each node; it goes when the node does. */
export function perNode<T>(create: () => T): (node: Pick<Node, 'rpc'>) => T {
  const values = new WeakMap<Rpc, T>();
  return ({ rpc }) => {
    const kept = values.get(rpc) ?? create();
    values.set(rpc, kept);
    return kept;
  };
}
