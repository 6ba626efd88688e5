import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { chains } from '../../shared/chains.ts';
import { createNode, type Node } from '../../shared/evm/node.ts';

export function nodeAt(url: string, chain = chains.local): Node {
  return createNode(chain, url, 10_000);
}

export const soon = () => Date.now() + 10_000;

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A node on loopback: it returns the result of `answer`, with the call's id unless that has its own. */
export function respondRpc(answer: (call: RpcCall) => object): RequestListener {
  return async (request, response) => {
    const call = (await json(request)) as RpcCall; // our own client's
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...answer(call) }));
  };
}
