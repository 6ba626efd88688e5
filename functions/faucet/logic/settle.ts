import type { Node } from '../../../shared/evm/node.ts';
import type { Address } from '../../../shared/evm/values.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import type { FaucetNetwork } from '../networks.ts';
import { Grants } from './grants.ts';
import type { LedgerState } from './ledger.ts';
import { finalNonce, findMined, isLost } from './mined.ts';

/** Looked at in one request, with the lease held. */
const MOST = 20;

interface Account {
  readonly network: FaucetNetwork;
  readonly from: Address;
}

/**
 * The nonces that the ledger may forget: those that were mined too deep to be undone. Either it was one of the transfer's
 * versions, and the grant's record now has all of them; or it was another transaction, and the claim is
 * given back. What cannot be told now is looked at next time. Until then a transfer is at hand, for a reorganisation
 * that takes it back, and for a node that lags behind and seems to have lost it.
 */
export async function settle(
  node: Node,
  table: SharedTable,
  { transfers }: LedgerState,
  { network, from }: Account,
  deadline: number,
): Promise<number[]> {
  const grants = new Grants(table, network);
  const isSettled = async (nonce: number): Promise<boolean> => {
    const details = transfers.get(nonce)?.details;
    if (!details) return true; // there is nothing to look at
    const { hashes, requestId, to: address, client, claimedAt } = details;
    const version = await findMined(node, hashes, deadline);
    if (version) {
      // Also of one version: its instance may have died before it saved the grant, and the claim is not to be taken over.
      await grants.saveVersions(requestId, hashes, Date.now());
      return true;
    }
    const transfer = { requestId, from, nonce, hashes };
    if (!(await isLost(node, table, network, transfer, deadline))) return false;
    await grants.giveBack({ requestId, address, client, claimedAt });
    return true;
  };
  const final = await finalNonce(node, network, from, deadline).catch(() => 0);
  const nonces = [...transfers.keys()].filter((nonce) => nonce < final).slice(0, MOST);
  const settled = await Promise.all(nonces.map((nonce) => isSettled(nonce).catch(() => false)));
  return nonces.filter((_, index) => settled[index]);
}
