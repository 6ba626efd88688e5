import type { Hex } from 'viem';
import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import type { Address } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { MINUTE_MS } from '../../../shared/platform/time.ts';
import type { GrantData, StatusData } from '../contract.ts';
import { count } from '../metrics.ts';
import type { Grant } from './ledger.ts';

/** A transfer that is not mined by then is stuck and needs an operator (docs/oncall.md). */
const STUCK_MS = 10 * MINUTE_MS;
/** The number of unmined transfers per account that geth always keeps (`txpool.accountslots`). */
export const MAX_UNMINED = 16;

/**
 * Sends a signed transfer, which the node may already know. False if the node rejects its fee. Throws the 503 of an
 * empty faucet, and any other rejection as a failure that is not the caller's.
 */
export async function send({ chain, rpc }: Node, signed: Hex, deadline: number): Promise<boolean> {
  try {
    await rpc('eth_sendRawTransaction', [signed], { deadline });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (error.kind === 'underpriced') return false;
    if (error.kind === 'insufficient-funds') throw faucetEmpty(chain.name);
    // Reading the status determines whose transaction used a mined nonce.
    if (error.kind !== 'already-known' && error.kind !== 'stale-nonce') throw error.asOurs();
  }
  return true;
}

/** Counts it too, because an operator must refill it. */
export function faucetEmpty(network: string): ApiError {
  count('FaucetLow');
  return new ApiError(503, `The ${network} faucet is empty at the moment; try again later`);
}

/**
 * The nonce of the account's next transfer. Sends the last one again if the node does not know it. Throws 503 while
 * that one is stuck, or too many are unmined: a further transfer would be recorded and not arrive.
 */
export async function nextNonce(
  node: Node,
  from: Address,
  last: Grant | undefined,
  deadline: number,
): Promise<number> {
  const countAt = (block: string) =>
    node.quantity('eth_getTransactionCount', [from, block], deadline).then(Number);
  const [mined, known] = await Promise.all([countAt('latest'), countAt('pending')]);
  if (last?.from !== from) return known; // the key was changed
  if (mined <= last.nonce) {
    const isTaken = known > last.nonce || (await send(node, last.signed, deadline));
    const isStuck = !isTaken || isOverdue(last);
    if (isStuck) count('FaucetStuck');
    if (isStuck || last.nonce - mined >= MAX_UNMINED - 1) {
      const reason = `The ${last.network} faucet waits for its transfers to be mined; try again later`;
      throw new ApiError(503, reason);
    }
  }
  return Math.max(known, last.nonce + 1);
}

const isOverdue = ({ grantedAt }: Grant) => Date.now() - grantedAt > STUCK_MS;

/** The response to a grant request. */
export function responseOf({ requestId, txHash, amount, network }: Grant): GrantData {
  return { requestId, txHash, amount, network, status: 'pending' };
}

/** The state of a grant's transfer; an unmined one is sent again. Throws the errors that node failures map to. */
export async function statusOf(node: Node, grant: Grant, deadline: number): Promise<StatusData> {
  await node.assertChain(deadline);
  const response = { ...responseOf(grant), confirmations: 0 };
  // The receipt is read first: a transfer mined after that is not final yet.
  const receipt = await receiptOf(node, grant, deadline);
  if (receipt) {
    const newest = await node.quantity('eth_blockNumber', [], deadline);
    const confirmations = Number(newest - receipt.block) + 1;
    return { ...response, status: receipt.status, confirmations: Math.max(1, confirmations) };
  }
  const final = await node.quantity('eth_getTransactionCount', [grant.from, 'finalized'], deadline);
  if (final > grant.nonce) {
    count('FaucetNonceLost');
    return { ...response, status: 'failed' };
  }
  await send(node, grant.signed, deadline).catch(() => {}); // the node may have lost it
  if (isOverdue(grant)) count('FaucetStuck');
  return response;
}

async function receiptOf({ chain, rpc }: Node, { txHash }: Grant, deadline: number) {
  const answer = await rpc('eth_getTransactionReceipt', [txHash], { deadline }).catch((error: unknown) => {
    throw error instanceof NodeError ? error.asOurs() : error;
  });
  if (answer === null) return undefined;
  const { blockNumber, status } = answer as Readonly<Record<string, string>>; // as specified
  if (blockNumber === undefined || !/^0x[0-9a-f]+$/i.test(blockNumber)) {
    throw new ApiError(502, `The ${chain.name} node gave an unusable answer: a receipt without a block`);
  }
  return { block: BigInt(blockNumber), status: status === '0x1' ? 'confirmed' : 'failed' } as const;
}
