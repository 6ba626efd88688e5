import type { Address } from '../../../shared/evm/address.ts';
import type { CallRequest, Node } from '../../../shared/evm/node.ts';

/** An unsigned transaction as it is answered: amounts as decimal text. */
export interface Payload {
  readonly to: Address;
  readonly data: string;
  /** In wei. */
  readonly value: string;
  readonly gasLimit: string;
}

const MARGIN_PERCENT = 20n;

/**
 * The transaction with the node's gas estimate and a fifth more, because state moves before it is mined. Throws
 * NodeError where the node finds that it would fail.
 */
export async function payloadOf(node: Node, call: CallRequest, deadline: number): Promise<Payload> {
  const estimate = await node.estimateGas(call, deadline);
  const gasLimit = (estimate * (100n + MARGIN_PERCENT) + 99n) / 100n;
  return { to: call.to, data: call.data, value: String(call.value ?? 0n), gasLimit: String(gasLimit) };
}
