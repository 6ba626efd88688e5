import type { Node } from '../../../shared/evm/node.ts';
import { type Address, toQuantity } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { SharedTable } from '../../../shared/platform/table.ts';
import { type FaucetNetwork, faucets } from '../networks.ts';
import { savedVersions } from './grants.ts';
import { Ledger, type LedgerState } from './ledger.ts';
import { throwAsOurs } from './ours.ts';

export interface Mined {
  readonly txHash: string;
  readonly block: bigint;
  /** False: it had no effect. */
  readonly succeeded: boolean;
}

type Receipt = Readonly<Record<'status' | 'blockNumber', string>>;

/** Which of a transfer's versions was mined; undefined: none as far as the node knows. */
export async function findMined(
  node: Node,
  hashes: readonly string[],
  deadline: number,
): Promise<Mined | undefined> {
  const receipts = await Promise.all(
    hashes.map(async (txHash) => {
      const answer = await node.rpc('eth_getTransactionReceipt', [txHash], { deadline }).catch(throwAsOurs);
      const receipt = answer as Receipt | null; // as specified
      return receipt ? minedIn(node, txHash, receipt) : undefined;
    }),
  );
  return receipts.find((mined) => mined !== undefined);
}

function minedIn({ chain }: Node, txHash: string, { blockNumber, status }: Receipt): Mined {
  if (!/^0x[0-9a-f]+$/i.test(blockNumber)) {
    throw new ApiError(502, `The ${chain.name} node gave an unusable answer: a receipt without a block`);
  }
  return { txHash, block: BigInt(blockNumber), succeeded: status === '0x1' };
}

interface Transfer {
  readonly requestId: string;
  /** The faucet's account. */
  readonly from: Address;
  readonly nonce: number;
  /** Of the versions that are known so far. */
  readonly hashes: readonly string[];
}

/** So many of the account's transactions are mined too deep to be undone; 0 while the chain is shorter than that. */
export async function finalNonce(
  node: Node,
  network: FaucetNetwork,
  from: Address,
  deadline: number,
): Promise<number> {
  const block = (await node.blockNumber(deadline)) - BigInt(faucets[network].finalBlocks) + 1n;
  if (block < 0n) return 0;
  return Number(await node.quantity('eth_getTransactionCount', [from, toQuantity(block)], deadline));
}

/**
 * Whether another transaction was mined with the transfer's nonce, so deep that none of the versions can be mined any
 * more. The order of the questions matters. A version that is committed after the nonce was found used that deep cannot be
 * mined, so those that are found afterwards are all. And if a node that lags behind was asked for them, in place of one
 * that failed, it does not know the nonce used that deep when it is asked again.
 */
export async function isLost(
  node: Node,
  table: SharedTable,
  network: FaucetNetwork,
  { requestId, from, nonce, hashes }: Transfer,
  deadline: number,
): Promise<boolean> {
  const isFinal = async () => (await finalNonce(node, network, from, deadline)) > nonce;
  if (!(await isFinal())) return false;
  const { transfers } = await new Ledger(table, network, from).look();
  const all = await allVersions(table, transfers, { requestId, nonce, hashes });
  return (await findMined(node, all, deadline)) === undefined && (await isFinal());
}

/**
 * The hashes of all versions: those of the ledger, or of the record as it is after the ledger was read. Whoever forgets a
 * transfer in the ledger has written its versions down in the record.
 */
export async function allVersions(
  table: SharedTable,
  transfers: LedgerState['transfers'],
  { requestId, nonce, hashes }: Omit<Transfer, 'from'>,
): Promise<readonly string[]> {
  const details = transfers.get(nonce)?.details;
  const later = details?.requestId === requestId ? details.hashes : await savedVersions(table, requestId);
  return [...new Set([...hashes, ...later])];
}
