import type { Payload } from '../../shared/evm/contract.ts';
import { NodeError } from '../../shared/evm/node-error.ts';
import type { Address } from '../../shared/evm/values.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { DataOf } from '../../shared/http/route.ts';
import type { route } from './approve/route.ts';
import { type RouterName, routerAddress, type UniswapNode } from './deployments.ts';
import { estimated, NOBODY } from './gas.ts';
import { readAll } from './multicall.ts';
import { approvalSummary } from './summary.ts';
import { tokenCalls, tokenInfo, tokenReads } from './tokens.ts';

interface Approval {
  readonly token: Address;
  /** In base units; 0 revokes an approval. */
  readonly amount: bigint;
  readonly router: RouterName;
  /** The future signer; by default the gas estimate assumes an account without earlier approvals. */
  readonly owner?: Address;
}

export type ApprovalData = DataOf<typeof route>;

/**
 * The unsigned approval, with one to send before it if the token allows no change of an existing allowance. Throws 404
 * if there is no token at the address, 400 if the token rejects the approval.
 */
export async function approve(
  node: UniswapNode,
  approval: Approval,
  deadline: number,
): Promise<ApprovalData> {
  const { chain } = node;
  const { token, amount, router, owner } = approval;
  const spender = routerAddress(chain, router);
  const reads = [{ to: token, data: tokenCalls.allowance(owner ?? NOBODY, spender) }, ...tokenReads(token)];
  const [{ payload, reset }, [allowance, ...info]] = await Promise.all([
    payloadsOf(node, approval, spender, deadline),
    readAll(node, reads, 'latest', deadline),
    node.assertChain(deadline),
  ]);
  // A call to an address without a contract succeeds and does nothing.
  if (allowance === undefined) throw ApiError.notFound(`No token found at ${token} on ${chain.name}`);
  return {
    ...payload,
    chainId: chain.chainId,
    from: owner ?? null,
    spender,
    summary: approvalSummary(chain, tokenInfo(token, info), amount, router, spender),
    reset,
  };
}

/** Tether on Ethereum, and tokens made after it, refuse to change an allowance other than from or to 0. */
async function payloadsOf(
  node: UniswapNode,
  { token, amount, owner }: Approval,
  spender: Address,
  deadline: number,
): Promise<{ readonly payload: Payload; readonly reset: Payload | null }> {
  const payload = (from: Address, value: bigint) =>
    estimated(node, { to: token, data: tokenCalls.approve(spender, value), from }, deadline);
  try {
    return { payload: await payload(owner ?? NOBODY, amount), reset: null };
  } catch (error) {
    const mayWantReset = owner !== undefined && amount > 0n;
    if (!(mayWantReset && error instanceof NodeError && error.kind === 'reverted')) throw error;
    // After the reset, the approval costs as much as an account's first one.
    const [reset, first] = await Promise.all([payload(owner, 0n), payload(NOBODY, amount)]).catch(() => {
      throw error;
    });
    return { payload: first, reset };
  }
}
