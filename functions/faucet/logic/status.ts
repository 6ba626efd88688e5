import type { Node } from '../../../shared/evm/node.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import type { GrantData } from './faucet.ts';
import type { GrantRecord } from './grants.ts';
import { broadcast, noncesOf } from './treasury.ts';

interface StatusData extends GrantData {
  /** Blocks that stand on it, its own included; 0 while it is not mined. */
  readonly confirmations: number;
}

type Receipt = Readonly<Record<'status' | 'blockNumber', string>>;

/** The state of a committed grant; one that the node does not know is sent once more. Throws node failures. */
export async function statusOf(node: Node, record: GrantRecord, deadline: number): Promise<StatusData> {
  const { requestId, txHash, amount, network } = record;
  const answer = { requestId, txHash, amount: String(amount), network };
  await node.assertChain(deadline);
  const [receipt, head, transaction] = await Promise.all([
    node.rpc('eth_getTransactionReceipt', [txHash], { deadline }) as Promise<Receipt | null>, // as specified
    node.blockNumber(deadline),
    node.rpc('eth_getTransactionByHash', [txHash], { deadline }),
  ]);
  if (receipt) {
    if (!/^0x[0-9a-f]+$/i.test(receipt.blockNumber)) {
      throw new ApiError(502, `The ${network} node gave an unusable answer: a receipt without a block`);
    }
    const confirmations = Number(head - BigInt(receipt.blockNumber) + 1n);
    const status = receipt.status === '0x1' ? 'confirmed' : 'failed';
    return { ...answer, status, confirmations: Math.max(1, confirmations) };
  }
  if (transaction) return { ...answer, status: 'pending', confirmations: 0 };
  const { mined } = await noncesOf(node, record.from, deadline);
  const isLost = mined > record.nonce; // another transaction was mined with its nonce
  if (!isLost) await broadcast(node, record.signed, deadline).catch(() => {});
  return { ...answer, status: isLost ? 'failed' : 'pending', confirmations: 0 };
}
