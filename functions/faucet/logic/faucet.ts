import type { SharedTable } from '../../../shared/coordination/table.ts';
import type { Address } from '../../../shared/evm/address.ts';
import type { Node } from '../../../shared/evm/node.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { type GrantRecord, Grants } from './grants.ts';
import { Ledger } from './ledger.ts';
import { CLIENT_GRANTS_A_DAY } from './rules.ts';
import { createSigner } from './signer.ts';
import { commitTransfer } from './transfer.ts';
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
 * Throws 429 if the address or the client has had it, 503 if the faucet is empty or busy, TableUnavailable,
 * and what node failures are mapped to. A failure to send after the commit is none: it is sent later.
 */
export async function grant(faucet: Faucet, request: GrantRequest, deadline: number): Promise<GrantData> {
  const { node, table, key } = faucet;
  const { requestId, network, address } = request;
  const { amount, keySecret } = faucets[network];
  const signer = createSigner(node.chain, key, keySecret);
  await assertTestNetwork(node, deadline);
  const fees = await feesOf(node, signer.address, address, amount, deadline);

  const grants = new Grants(table, network);
  const undo = await claim(grants, { ...request, client: signer.pseudonym(request.client) });
  const ledger = new Ledger(table, network, signer.address);
  const lease = await ledger.acquire(requestId, deadline - SENDING_MS);
  if (!lease) {
    await undo();
    throw new ApiError(503, `The ${network} faucet is busy; try again`);
  }
  try {
    const transfer = { to: address, amount, fees };
    const committed = await commitTransfer(node, signer, ledger, lease, transfer, deadline).catch(
      async (error: unknown) => {
        // A table that fails may have committed all the same: only what surely did not happen is undone.
        if (error instanceof ApiError) await undo();
        throw error;
      },
    );
    if (!committed) throw new ApiError(503, `The ${network} faucet took too long; try again tomorrow`);
    const record = { requestId, network, address, amount, from: signer.address, ...committed };
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
export function grantOf({ requestId, txHash, amount, network }: GrantRecord): GrantData {
  return { requestId, txHash, amount: String(amount), network, status: 'pending' };
}

/** Claims the grant for the address and counts it for the client; returns what takes both back. Throws 429. */
async function claim(
  grants: Grants,
  { requestId, network, address, client }: GrantRequest,
): Promise<() => Promise<void>> {
  const now = Date.now();
  const ofAddress = await grants.claim(address, requestId, now);
  if (!ofAddress.granted) throw tooSoon(`${address} has had its grant on ${network}`, ofAddress.retryAt, now);
  const ofClient = await grants.count(client, now);
  if (!ofClient.granted) {
    await grants.release(address, requestId);
    throw tooSoon(
      `You have had your ${CLIENT_GRANTS_A_DAY} grants of today on ${network}`,
      ofClient.retryAt,
      now,
    );
  }
  return async () => {
    await grants.release(address, requestId);
    await grants.uncount(client, now);
  };
}

function tooSoon(text: string, retryAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new ApiError(429, `${text}; the next one is possible in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}
