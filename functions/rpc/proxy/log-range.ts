import type { Rpc } from '../../../shared/evm/rpc.ts';
import { toQuantity } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { QUANTITY } from './known-fields.ts';
import { readFilter } from './log-filter.ts';

/** The most blocks that one eth_getLogs may look through; a day of Ethereum is 7,200. */
const MAX_LOG_BLOCKS = 1_000n;

const TAGS = new Set(['latest', 'pending', 'safe', 'finalized']);

/**
 * An eth_getLogs filter made anew of the fields that were checked, its range as block numbers: whatever else the caller
 * wrote does not reach the node. Throws 400 for any other.
 */
export async function boundedLogs(
  rpc: Rpc,
  params: readonly unknown[],
  deadline: number,
): Promise<readonly unknown[]> {
  const { fromBlock = 'latest', toBlock = 'latest', blockHash, address, topics } = readFilter(params);
  // Fields that are undefined are left out of the JSON.
  if (blockHash !== undefined) return [{ blockHash, address, topics }];
  const from = await blockOf(rpc, 'fromBlock', fromBlock, deadline);
  const to = toBlock === fromBlock ? from : await blockOf(rpc, 'toBlock', toBlock, deadline);
  const count = to - from + 1n;
  if (count < 1n) throw invalidParameter('params', params, 'a toBlock that is not before fromBlock');
  if (count > MAX_LOG_BLOCKS) {
    throw new ApiError(400, `eth_getLogs over ${count} blocks; allowed: at most ${MAX_LOG_BLOCKS}`);
  }
  return [{ fromBlock: toQuantity(from), toBlock: toQuantity(to), address, topics }];
}

async function blockOf(rpc: Rpc, name: string, value: unknown, deadline: number): Promise<bigint> {
  if (value === 'earliest') return 0n;
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value);
  if (typeof value !== 'string' || !TAGS.has(value)) {
    throw invalidParameter(name, value, `a block number in hexadecimal, earliest, ${[...TAGS].join(', ')}`);
  }
  // A pending block has no logs that could be relied on, and no number with some nodes.
  const tag = value === 'pending' ? 'latest' : value;
  const block = await rpc('eth_getBlockByNumber', [tag, false], { deadline });
  const number = (block as { readonly number?: unknown } | null)?.number;
  if (typeof number === 'string' && QUANTITY.test(number)) return BigInt(number);
  throw new ApiError(502, 'The node gave an unusable answer: a block without a number');
}
