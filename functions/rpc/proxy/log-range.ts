import { toQuantity } from '../../../shared/evm/amount.ts';
import type { Rpc } from '../../../shared/evm/rpc.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';

/** The most blocks that one eth_getLogs may look through; a day of Ethereum is 7,200. */
const MAX_LOG_BLOCKS = 1_000n;

const TAGS = new Set(['latest', 'pending', 'safe', 'finalized']);
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,15})$/i;

/** An eth_getLogs filter with its range as the block numbers checked here. Throws 400 for any other. */
export async function boundedLogs(
  rpc: Rpc,
  params: readonly unknown[],
  deadline: number,
): Promise<readonly unknown[]> {
  const [filter] = params;
  if (params.length !== 1 || typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw invalidParameter('params', params, 'one filter object for eth_getLogs');
  }
  if ('blockHash' in filter && !('fromBlock' in filter) && !('toBlock' in filter)) return params;
  const { fromBlock = 'latest', toBlock = 'latest' } = filter as { fromBlock?: unknown; toBlock?: unknown };
  const from = await blockOf(rpc, 'fromBlock', fromBlock, deadline);
  const to = toBlock === fromBlock ? from : await blockOf(rpc, 'toBlock', toBlock, deadline);
  const count = to - from + 1n;
  if (count < 1n) throw invalidParameter('params', [filter], 'a toBlock that is not before fromBlock');
  if (count > MAX_LOG_BLOCKS) {
    throw new ApiError(400, `eth_getLogs over ${count} blocks; allowed: at most ${MAX_LOG_BLOCKS}`);
  }
  return [{ ...filter, fromBlock: toQuantity(from), toBlock: toQuantity(to) }];
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
