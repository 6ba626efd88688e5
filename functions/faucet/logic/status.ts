import type { Node } from '../../../shared/evm/node.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import type { GrantData } from './faucet.ts';
import { gasPriceOf } from './fees.ts';
import { type GrantRecord, Grants } from './grants.ts';
import { Ledger, type LedgerState, type Version } from './ledger.ts';
import { allVersions, findMined, isLost, type Mined } from './mined.ts';
import type { Signer } from './signer.ts';
import { broadcast, type Nonces, noncesOf } from './treasury.ts';
import { needsPush, pushUnmined } from './unmined.ts';

interface StatusData extends GrantData {
  /** Blocks that stand on it, its own included; 0 while it is not mined. */
  readonly confirmations: number;
}

interface StatusFaucet {
  readonly node: Node;
  readonly table: SharedTable;
  /** Loaded when something has to be signed anew; undefined if there is no key. */
  readonly signer: () => Promise<Signer | undefined>;
}

/** Spent on transfers that wait, the asker's own and all before it; and left for the answer. */
const PUSHING_MS = 4_000;
const ANSWERING_MS = 2_000;

/**
 * The state of a committed grant, and the hash of the version that was mined, or else of the newest. One that is not
 * mined is sent once more or replaced, if nobody else is at it. Throws node failures and TableUnavailable.
 */
export async function statusOf(
  faucet: StatusFaucet,
  record: GrantRecord,
  deadline: number,
): Promise<StatusData> {
  const { node, table } = faucet;
  const { requestId, amount, network, from } = record;
  const answer = { requestId, amount: String(amount), network };
  const failed = { ...answer, txHash: record.txHash, status: 'failed', confirmations: 0 } as const;
  await node.assertChain(deadline);
  if (record.isLost) return failed;

  const ledger = new Ledger(table, network, from);
  const told = ({ txHash, block, succeeded }: Mined, head: bigint): StatusData => {
    const status = succeeded ? 'confirmed' : 'failed';
    return { ...answer, txHash, status, confirmations: Math.max(1, Number(head - block + 1n)) };
  };
  const first = await findMined(node, record.hashes, deadline);
  if (first) return told(first, await node.blockNumber(deadline));
  const state = await ledger.look();
  const hashes = await allVersions(table, state.transfers, record);
  const mined = hashes.length > record.hashes.length && (await findMined(node, hashes, deadline));
  if (mined) return told(mined, await node.blockNumber(deadline));
  const nonces = await noncesOf(node, from, deadline);
  if (nonces.mined > record.nonce && (await isLost(node, table, network, record, deadline))) {
    await new Grants(table, network).giveBack(record);
    return failed;
  }
  const replacements = await push(faucet, record, { ledger, state, nonces }, deadline).catch(() => []);
  const own = replacements.findLast(({ details }) => details.requestId === requestId);
  const [txHash = record.txHash] = (own?.details.hashes ?? hashes).slice(-1);
  return { ...answer, txHash, status: 'pending', confirmations: 0 };
}

interface Waiting {
  readonly ledger: Ledger;
  readonly state: LedgerState;
  readonly nonces: Nonces;
}

/** Does for the transfers that wait what the next grant would, if the lease is to be had now. Returns the replacements. */
async function push(
  { node, signer: loadSigner }: StatusFaucet,
  { from, network, nonce, signed }: GrantRecord,
  { ledger, state, nonces }: Waiting,
  deadline: number,
): Promise<readonly Version[]> {
  // Mined once and forgotten, before a reorganisation.
  const isForgotten = nonce >= nonces.mined && !state.transfers.has(nonce);
  if (isForgotten) await broadcast(node, signed, deadline);
  const price = await gasPriceOf(node, deadline);
  if (!needsPush(state, nonces, price)) return [];
  const signer = await loadSigner();
  const lease = await ledger.acquire(crypto.randomUUID(), Date.now());
  if (!lease) return [];
  try {
    // The key may have been changed since, and another account's transfers are not its own.
    const own = signer?.address === from ? signer : undefined;
    const until = Math.min(Date.now() + PUSHING_MS, deadline - ANSWERING_MS);
    return await pushUnmined(
      node,
      ledger,
      lease,
      { ...nonces, network, price, signer: own },
      { until, deadline },
    );
  } finally {
    await ledger.release(lease);
  }
}
