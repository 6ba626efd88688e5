import type { Node } from '../../../shared/evm/node.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { IDEMPOTENCY_HEADER } from '../../../shared/http/idempotency.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import { DAY_MS } from '../../../shared/platform/time.ts';
import type { GrantData } from '../contract.ts';
import { count } from '../metrics.ts';
import { faucets } from '../networks.ts';
import { type Grant, type GrantRequest, Ledger, midnightAfter, type Standing } from './ledger.ts';
import { nextNonce, responseOf, send } from './transfer.ts';
import { assertFunds, feesOf, openAccount } from './treasury.ts';

/** Grants of a network per client and UTC day. */
export const CLIENT_GRANTS_A_DAY = 5;
/** How long an `Idempotency-Key` identifies its request. */
const KEY_MS = DAY_MS;
/** Time reserved for committing and sending once the lease is held. */
const SENDING_MS = 5_000;

export interface Faucet {
  readonly node: Node;
  readonly table: SharedTable;
  /** The private key of its account. */
  readonly key: string;
}

/**
 * Grants an address its share of a test network's currency. One request at a time holds the network's lease: it signs
 * the transfer, commits it, sends it and records it. If it dies, the next one sends the same transfer and records it. A
 * failed send does not fail the grant: the transfer is sent again with the next grant, or when its status is read.
 * Throws 400 if the address has enough, 422 if the request's id belongs to another request, 429 if the address or the
 * client has had its share, 503 if the faucet is empty, busy or has reached its daily limit, or gas is too expensive,
 * TableUnavailable, and the errors that node failures map to.
 */
export async function grant(faucet: Faucet, request: GrantRequest, deadline: number): Promise<GrantData> {
  const { node, table, key } = faucet;
  const { network, address } = request;
  const { amount, keySecret } = faucets[network];
  const account = openAccount(node.chain, key, keySecret);
  const ledger = new Ledger(table, network);

  // Read twice: here, so that repeated and rejected requests need neither node nor lease, and again with the lease.
  const now = Date.now();
  const earlier = grantedTo(request, await ledger.standing(request, now), now);
  if (earlier) return responseOf(earlier);
  await node.assertChain(deadline);
  const fees = await feesOf(node, network, account.address, address, deadline);
  const lease = await ledger.acquire(deadline - SENDING_MS);
  if (!lease) throw busy(network);
  try {
    if (lease.last && !lease.isRecorded) await finish(node, ledger, lease.last, deadline);
    const grantedAt = Date.now();
    const standing = await ledger.standing(request, grantedAt);
    const meanwhile = grantedTo(request, standing, grantedAt);
    if (meanwhile) return responseOf(meanwhile);

    const nonce = await nextNonce(node, account.address, lease.last, deadline);
    await assertFunds(node, network, account.address, fees, deadline);
    const granted: Grant = {
      ...request,
      ...(await account.sign(address, amount, nonce, fees)),
      grantedAt,
      amount: String(amount),
      from: account.address,
      nonce,
      ofDay: standing.ofDay + 1,
      ofClient: standing.ofClient + 1,
    };
    if (!(await ledger.commit(lease, granted))) throw busy(network);
    await finish(node, ledger, granted, deadline);
    count('FaucetGranted');
    return responseOf(granted);
  } finally {
    await ledger.release(lease);
  }
}

/** Sends a committed grant, then records it. In this order no response reports a grant before an attempt to send it. */
async function finish(node: Node, ledger: Ledger, granted: Grant, deadline: number): Promise<void> {
  await send(node, granted.signed, deadline).catch(() => {});
  await ledger.record(granted);
}

/** The grant that the request already has; undefined if it should get one now. Throws the reason for a refusal. */
function grantedTo(request: GrantRequest, standing: Standing, now: number): Grant | undefined {
  const { network, address } = request;
  const { granted, nextAt, ofDay, ofClient } = standing;
  if (granted && now < granted.grantedAt + KEY_MS) {
    if (granted.network === network && granted.address === address) return granted;
    throw new ApiError(422, `This ${IDEMPOTENCY_HEADER} was used with other input; use a new one`);
  }
  if (now < nextAt) throw refusal(429, `${address} has had its grant on ${network}`, nextAt, now);
  if (ofClient >= CLIENT_GRANTS_A_DAY) {
    const reason = `You have had your ${CLIENT_GRANTS_A_DAY} grants of today on ${network}`;
    throw refusal(429, reason, midnightAfter(now), now);
  }
  const { amount, perDay } = faucets[network];
  if (BigInt(ofDay + 1) * amount > perDay) {
    count('FaucetDaySpent');
    throw refusal(503, `The ${network} faucet has given the ${perDay} wei of today`, midnightAfter(now), now);
  }
  return undefined;
}

function refusal(status: 429 | 503, reason: string, retryAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new ApiError(status, `${reason}; the next one is possible in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function busy(network: string): ApiError {
  const headers = { 'retry-after': '2' };
  return new ApiError(503, `The ${network} faucet is busy; try again`, { headers });
}
