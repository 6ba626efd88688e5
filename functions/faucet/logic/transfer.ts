import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { type GasPrice, mostOf } from './fees.ts';
import type { ClaimedGrant } from './grants.ts';
import type { Lease, Ledger } from './ledger.ts';
import { LOW_GRANTS, MAX_KEPT, MAX_UNMINED } from './rules.ts';
import { settle } from './settle.ts';
import type { Fees, SignedTransfer, Signer } from './signer.ts';
import { faucetEmpty, noncesOf } from './treasury.ts';
import { nextNonce, pushUnmined } from './unmined.ts';

/** With the lease held, and as long as this leaves so much before the deadline. */
const PUSHING_MS = 4_000;
const COMMITTING_MS = 3_000;

/** What holds the right to sign, and what it is used with. */
interface Desk {
  readonly node: Node;
  readonly network: FaucetNetwork;
  readonly signer: Signer;
  readonly table: SharedTable;
  readonly ledger: Ledger;
  readonly lease: Lease;
}

interface Prepared {
  /** The transfer's nonce. */
  readonly nonce: number;
  /** Nonces that the ledger may forget. */
  readonly settled: readonly number[];
}

/**
 * Looks after the transfers that were committed before: settles those that were mined, raises and sends the others. Then
 * tells the next one's nonce. Throws 503 if there is no room or no money for it; nothing of it is committed yet.
 */
export async function prepareTransfer(
  { node, network, signer, table, ledger, lease }: Desk,
  { fees, price }: { readonly fees: Fees; readonly price: GasPrice },
  deadline: number,
): Promise<Prepared> {
  const from = signer.address;
  const nonces = await noncesOf(node, from, deadline);
  const until = Math.min(Date.now() + PUSHING_MS, deadline - COMMITTING_MS);
  const [settled] = await Promise.all([
    settle(node, table, lease, { network, from }, until),
    pushUnmined(node, ledger, lease, { ...nonces, network, price, signer }, { until, deadline }).catch(
      (error: unknown) => {
        const isEmpty = error instanceof NodeError && error.kind === 'insufficient-funds';
        throw isEmpty ? faucetEmpty(network) : error;
      },
    ),
  ]);
  const nonce = nextNonce(lease, nonces.known);
  if (nonce - nonces.mined >= MAX_UNMINED || lease.transfers.size - settled.length >= MAX_KEPT) {
    count('FaucetStuck');
    const reason = `The ${network} faucet waits for its transfers to be mined; try again later`;
    throw new ApiError(503, reason);
  }
  const balance = await node.quantity('eth_getBalance', [from, 'pending'], deadline);
  const cost = faucets[network].amount + mostOf(fees);
  if (balance < cost) throw faucetEmpty(network);
  if (balance < cost * (LOW_GRANTS + 1n)) count('FaucetLow');
  return { nonce, settled };
}

/**
 * Signs the grant's transfer and commits it to the ledger; sending it is then safe at any time. Undefined if the lease was
 * lost, and so it is not known whether it is committed.
 */
export async function commitTransfer(
  { network, signer, ledger, lease }: Desk,
  { requestId, address: to, client, claimedAt }: ClaimedGrant,
  fees: Fees,
  { nonce, settled }: Prepared,
): Promise<SignedTransfer | undefined> {
  const { amount } = faucets[network];
  const transfer = await signer.transfer(to, amount, nonce, fees);
  const { signed, txHash } = transfer;
  const details = { requestId, to, amount, fees, hashes: [txHash], client, claimedAt };
  return (await ledger.commit(lease, { nonce, signed, details }, settled)) ? transfer : undefined;
}
