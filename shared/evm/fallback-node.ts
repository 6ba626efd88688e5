import { count } from '../platform/metrics.ts';
import type { Chain } from './chain.ts';
import type { Node } from './node.ts';
import { NodeError } from './node-error.ts';

/** So long the other node goes first: with several calls to a request, waiting anew for each would use up its time. */
const REST_MS = 10_000;

/**
 * Two nodes of one chain as one. If the first does not answer within half of the time that is left, or fails by itself,
 * the second is asked, once, and goes first for the next ten seconds. What a node answers about a request stands:
 * nobody else is asked for a revert. Each has to say the chain's id before it is asked anything.
 */
export function withFallback<C extends Chain>(first: Node<C>, second: Node<C>): Node<C> {
  let afterFailure = second;
  let restsUntil = 0;

  async function ask<T>(deadline: number, use: (node: Node<C>, deadline: number) => Promise<T>): Promise<T> {
    const now = Date.now();
    const preferred = now < restsUntil ? afterFailure : first;
    try {
      return await answerOf(preferred, now + (deadline - now) / 2, use);
    } catch (error) {
      if (!(error instanceof NodeError && error.isOutage)) throw error;
      const other = preferred === first ? second : first;
      // One of another chain takes nobody's place: the failure of a moment would last for ten seconds.
      await other.assertChain(deadline);
      afterFailure = other;
      restsUntil = Date.now() + REST_MS;
      return answerOf(other, deadline, use);
    }
  }

  async function answerOf<T>(
    node: Node<C>,
    deadline: number,
    use: (node: Node<C>, deadline: number) => Promise<T>,
  ): Promise<T> {
    await node.assertChain(deadline);
    if (node === second) count('NodeFallback');
    return use(node, deadline);
  }

  return {
    chain: first.chain,
    rpc: (method, params, { deadline, maxBytes }) =>
      ask(deadline, (node, by) => node.rpc(method, params, { deadline: by, ...(maxBytes && { maxBytes }) })),
    quantity: (method, params, deadline) => ask(deadline, (node, by) => node.quantity(method, params, by)),
    assertChain: (deadline) => ask(deadline, (node, by) => node.assertChain(by)),
    blockNumber: (deadline) => ask(deadline, (node, by) => node.blockNumber(by)),
    block: (deadline) => ask(deadline, (node, by) => node.block(by)),
    call: (request, block, deadline, overrides) =>
      ask(deadline, (node, by) => node.call(request, block, by, overrides)),
    estimateGas: (request, deadline) => ask(deadline, (node, by) => node.estimateGas(request, by)),
    balance: (account, deadline) => ask(deadline, (node, by) => node.balance(account, by)),
  };
}
