import type { Node } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import { count } from '../metrics.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { type ClaimedGrant, findGrant, type Grants, savedVersions } from './grants.ts';
import type { Ledger, LedgerState } from './ledger.ts';
import { CLIENT_GRANTS_A_DAY, GRANT_EVERY_MS } from './rules.ts';
import { broadcast } from './treasury.ts';

/**
 * A request that claimed so lately may be at work still, and to wait for the lease with it would take an instance each.
 * Nothing depends on it: what is safe to take over turns out with the lease held.
 */
const AT_WORK_MS = 10_000;

interface Counter {
  readonly node: Node;
  readonly table: SharedTable;
  readonly network: FaucetNetwork;
  readonly grants: Grants;
  readonly ledger: Ledger;
  /** The faucet's account. */
  readonly from: Address;
}

/**
 * Claims the grant for the address, and counts it for the client and for the day. Returns the request that has the claim:
 * this one, or an earlier one for which nothing is committed, because its instance died or is slow. Which of the
 * two it is turns out once the lease is held (`secureClaim`). Throws 429 or 503 with the time to wait, and then nothing is
 * claimed.
 */
export async function claim(counter: Counter, grant: ClaimedGrant, deadline: number): Promise<string> {
  const { grants, ledger, network, from } = counter;
  const { requestId, claimedAt } = grant;
  const ofAddress = await grants.claim(grant, from);
  if (!ofAddress.granted) {
    const { isOfAccount, holder, retryAt } = ofAddress;
    // In the ledger of another account nobody can look while its lease is not held.
    const isGiven = !isOfAccount || (await isCommitted(counter, await ledger.look(), holder, deadline));
    if (isGiven) throw hasHadIt(counter, grant, retryAt);
    const age = claimedAt - (retryAt - GRANT_EVERY_MS);
    if (age >= 0 && age < AT_WORK_MS) {
      const text = `A grant for ${grant.address} on ${network} is being prepared; if that fails, the next one`;
      throw refusal(429, text, claimedAt + AT_WORK_MS - age, claimedAt);
    }
  }
  const ofClient = await grants.countClient(grant);
  if (!ofClient.granted) {
    await grants.release(grant);
    const reason = `You have had your ${CLIENT_GRANTS_A_DAY} grants of today on ${network}; the next one`;
    throw refusal(429, reason, ofClient.retryAt, claimedAt);
  }
  const ofDay = await grants.countDay(grant);
  if (!ofDay.granted) {
    await grants.uncountClient(grant);
    await grants.release(grant);
    count('FaucetDaySpent');
    const reason = `The ${network} faucet has given the ${faucets[network].perDay} wei of today; the next one`;
    throw refusal(503, reason, ofDay.retryAt, claimedAt);
  }
  return ofAddress.granted ? requestId : ofAddress.holder;
}

/**
 * With the lease held: makes the claim this request's for good. Whoever had it and is not dead needs the lease to commit,
 * and finds the claim taken over when it has it. Throws 429 or 503 if the grant is somebody else's.
 */
export async function secureClaim(
  counter: Counter,
  grant: ClaimedGrant,
  { holder, lease }: { readonly holder: string; readonly lease: LedgerState },
  deadline: number,
): Promise<void> {
  const { grants, network, from } = counter;
  if (holder !== grant.requestId && (await isCommitted(counter, lease, holder, deadline))) {
    throw hasHadIt(counter, grant, grant.claimedAt + GRANT_EVERY_MS);
  }
  if (await grants.keepClaim(grant, from, holder)) return;
  throw new ApiError(503, `The ${network} faucet is busy with a grant for ${grant.address}; try again`);
}

/** Whether a request's transfer is committed; one that may not have reached the node yet is sent. */
async function isCommitted(
  { node, table }: Counter,
  { transfers }: LedgerState,
  requestId: string,
  deadline: number,
): Promise<boolean> {
  const transfer = [...transfers.values()].find(({ details }) => details?.requestId === requestId);
  if (transfer?.signed) await broadcast(node, transfer.signed, deadline).catch(() => {});
  if (transfer) return true;
  // Whoever forgets a transfer in the ledger has written it down here.
  if (await findGrant(table, requestId)) return true;
  return (await savedVersions(table, requestId)).length > 0;
}

function hasHadIt({ network }: Counter, { address, claimedAt }: ClaimedGrant, retryAt: number): ApiError {
  return refusal(429, `${address} has had its grant on ${network}; the next one`, retryAt, claimedAt);
}

function refusal(status: 429 | 503, text: string, retryAt: number, now: number): ApiError {
  const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000));
  return new ApiError(status, `${text} is possible in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}
