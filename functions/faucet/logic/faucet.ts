import type { Node } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { claim, secureClaim } from './claim.ts';
import { type GrantRecord, Grants } from './grants.ts';
import { Ledger } from './ledger.ts';
import { createSigner } from './signer.ts';
import { commitTransfer, prepareTransfer } from './transfer.ts';
import { assertTestNetwork, broadcast, feesOf } from './treasury.ts';

export interface Faucet {
  readonly node: Node;
  readonly table: SharedTable;
  readonly key: string;
}

export interface GrantRequest {
  readonly requestId: string;
  readonly network: FaucetNetwork;
  readonly address: Address;
  /** The asking client, as the rate limit tells clients apart. */
  readonly client: string;
}

export interface GrantData {
  readonly requestId: string;
  readonly txHash: string;
  /** In wei. */
  readonly amount: string;
  readonly network: FaucetNetwork;
  readonly status: 'pending' | 'confirmed' | 'failed';
}

/** Left at the end for committing and sending, once the lease is held. */
const SENDING_MS = 5_000;

/**
 * Grants an address its share of a test network's currency: claims it, then signs, commits and sends the transfer.
 * Throws 400 if the address has enough, 429 if it or the client has had it, 503 if the faucet is empty or busy, gas is
 * too dear or the day's sum is spent, TableUnavailable, and what node failures are mapped to. A failure to send after
 * the commit is none: it is sent later.
 */
export async function grant(faucet: Faucet, request: GrantRequest, deadline: number): Promise<GrantData> {
  const { node, table, key } = faucet;
  const { requestId, network, address } = request;
  const { amount, keySecret } = faucets[network];
  const signer = createSigner(node.chain, key, keySecret);
  await assertTestNetwork(node, deadline);
  const costs = await feesOf(node, network, signer.address, address, deadline);

  const grants = new Grants(table, network);
  const ledger = new Ledger(table, network, signer.address);
  const claimed = { requestId, address, client: signer.pseudonym(request.client), claimedAt: Date.now() };
  const counter = { node, table, network, grants, ledger, from: signer.address };
  const holder = await claim(counter, claimed, deadline);
  const lease = await ledger.acquire(requestId, deadline - SENDING_MS);
  if (!lease) {
    await grants.undo(claimed);
    throw new ApiError(503, `The ${network} faucet is busy; try again`);
  }
  try {
    const desk = { node, table, network, signer, ledger, lease };
    const prepared = await secureClaim(counter, claimed, { holder, lease }, deadline)
      .then(() => prepareTransfer(desk, costs, deadline))
      .catch(async (error: unknown) => {
        await grants.undo(claimed);
        throw error;
      });
    // A table that fails now may have committed all the same, so from here on nothing is undone.
    const committed = await commitTransfer(desk, claimed, costs.fees, prepared);
    if (!committed) throw new ApiError(503, `The ${network} faucet took too long; try again`);
    const record = { ...claimed, network, amount, from: signer.address, ...committed };
    await grants.save(record, Date.now());
    // If the node does not take it now, the next request that holds the lease or asks for the status sends it.
    await broadcast(node, committed.signed, deadline).catch(() => {});
    count('FaucetGranted');
    return grantOf(record);
  } finally {
    await ledger.release(lease);
  }
}

/** The answer to the request of a committed grant, whenever it is told. */
export function grantOf(record: Pick<GrantRecord, 'requestId' | 'txHash' | 'amount' | 'network'>): GrantData {
  const { requestId, txHash, amount, network } = record;
  return { requestId, txHash, amount: String(amount), network, status: 'pending' };
}
