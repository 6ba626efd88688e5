import type { Payload } from '../../../shared/evm/contract.ts';
import type { CallRequest, Node } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';

/** Has nothing and never allowed anything: what it would pay for is what any account pays at most. */
export const NOBODY: Address = '0x000000000000000000000000000000000000dEaD';

/**
 * The transaction with the node's gas estimate and a fifth more, because state moves before it is mined; or with the
 * estimate, the `unestimated` gas that it may lack, and a tenth of both, if that is more. Throws NodeError if the node
 * finds that it would fail.
 */
export async function payloadOf(
  node: Pick<Node, 'estimateGas'>,
  call: CallRequest,
  deadline: number,
  unestimated = 0n,
): Promise<Payload> {
  return withGas(call, await node.estimateGas(call, deadline), unestimated);
}

/** The transaction with a gas limit as `payloadOf` makes it of an estimate. */
export function withGas(call: CallRequest, estimate: bigint, unestimated = 0n): Payload {
  const [withMargin, floor] = [percent(120n, estimate), percent(110n, estimate + unestimated)];
  const gasLimit = withMargin > floor ? withMargin : floor;
  return { to: call.to, data: call.data, value: String(call.value ?? 0n), gasLimit: String(gasLimit) };
}

/** Rounded up. */
const percent = (share: bigint, gas: bigint): bigint => (gas * share + 99n) / 100n;
