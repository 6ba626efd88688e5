import type { Address } from '../../../shared/evm/address.ts';
import type { Payload } from '../../../shared/evm/payload.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { UniswapNode } from '../deployments.ts';
import { routerOf } from './calldata.ts';
import { payloadOf } from './payload.ts';
import { tokenCalls } from './token-calls.ts';

interface Approval {
  readonly token: Address;
  /** In base units. */
  readonly amount: bigint;
  /** Each version has a router of its own. */
  readonly router: 'v2' | 'v3';
  /** Will sign; without, the estimate is that of an account which never approved anything. */
  readonly owner?: Address;
}

/** Nobody's: estimates from it pay for a first approval, which is the dearest. */
const STRANGER: Address = '0x000000000000000000000000000000000000dEaD';

/** The unsigned approval. Throws 404 if there is no token at the address, 400 if the token refuses. */
export async function approve(node: UniswapNode, approval: Approval, deadline: number): Promise<Payload> {
  const { token, amount, router, owner = STRANGER } = approval;
  const spender = routerOf(node.chain, router);
  const call = { to: token, data: tokenCalls.approve(spender, amount), from: owner, value: 0n };
  const allowance = { to: token, data: tokenCalls.allowance(owner, spender) };
  const [payload, answer] = await Promise.all([
    payloadOf(node, call, deadline),
    node.call(allowance, 'latest', deadline).catch(() => '0x'),
    node.assertChain(deadline),
  ]);
  // A call of an address without a contract succeeds, and does nothing.
  if (answer === '0x') throw ApiError.notFound(`No token found at ${token} on ${node.chain.name}`);
  return payload;
}
