import type { CallRequest, Node } from '../../../shared/evm/node.ts';
import type { Payload } from '../../../shared/evm/payload.ts';

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
  const estimate = await node.estimateGas(call, deadline);
  const [withMargin, floor] = [percent(120n, estimate), percent(110n, estimate + unestimated)];
  const gasLimit = withMargin > floor ? withMargin : floor;
  return { to: call.to, data: call.data, value: String(call.value ?? 0n), gasLimit: String(gasLimit) };
}

/** Rounded up. */
const percent = (share: bigint, gas: bigint): bigint => (gas * share + 99n) / 100n;
