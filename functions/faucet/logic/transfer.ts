import type { Address } from '../../../shared/evm/address.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../metrics.ts';
import type { Lease, Ledger } from './ledger.ts';
import { LOW_GRANTS, MAX_UNMINED } from './rules.ts';
import type { Fees, SignedTransfer, Signer } from './signer.ts';
import { broadcast, faucetEmpty, noncesOf } from './treasury.ts';

/**
 * Signs one transfer with the next nonce and commits it to the ledger; sending it is then safe at any time. First
 * sends again what was committed and has not reached the node. The caller holds the lease.
 * Throws if nothing was committed; undefined if that is not known, because the lease was lost.
 */
export async function commitTransfer(
  node: Node,
  signer: Signer,
  ledger: Ledger,
  lease: Lease,
  { to, amount, fees }: { readonly to: Address; readonly amount: bigint; readonly fees: Fees },
  deadline: number,
): Promise<SignedTransfer | undefined> {
  const { mined, known } = await noncesOf(node, signer.address, deadline);
  const nonce = await sendMissing(node, lease, known, deadline);
  if (nonce - mined >= MAX_UNMINED) {
    const reason = `The ${node.chain.name} faucet waits for its transfers to be mined; try again later`;
    throw new ApiError(503, reason);
  }
  const balance = await node.quantity('eth_getBalance', [signer.address, 'pending'], deadline);
  const price = amount + fees.gas * fees.maxFeePerGas;
  if (balance < price) throw faucetEmpty(node.chain.name);
  if (balance < price * (LOW_GRANTS + 1n)) count('FaucetLow');
  const transfer = await signer.transfer(to, amount, nonce, fees);
  const isCommitted = await ledger.commit(lease, nonce, transfer.signed, mined);
  return isCommitted ? transfer : undefined;
}

/** Sends what the node should know and does not; returns the nonce of the next transfer. */
async function sendMissing(node: Node, lease: Lease, known: number, deadline: number): Promise<number> {
  const next = Math.max(lease.next ?? known, known);
  for (let nonce = known; nonce < next; nonce += 1) {
    const signed = lease.unmined.get(nonce);
    if (!signed) return nonce; // nobody has it any more, so the next transfer takes its place
    await broadcast(node, signed, deadline).catch((error: unknown) => {
      const isEmpty = error instanceof NodeError && error.kind === 'insufficient-funds';
      throw isEmpty ? faucetEmpty(node.chain.name) : error;
    });
  }
  return next;
}
