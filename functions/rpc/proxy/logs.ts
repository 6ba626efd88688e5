/** The filter of eth_getLogs, rebuilt from the checked fields. */
import type { Rpc } from '../../../shared/evm/rpc.ts';
import { toQuantity } from '../../../shared/evm/values.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { isRecord } from '../../../shared/platform/is-record.ts';
import { knownFields, QUANTITY } from './known-fields.ts';

/** The largest range of one eth_getLogs; a day of Ethereum has 7,200 blocks. */
const MAX_LOG_BLOCKS = 1_000n;

const TAGS = new Set(['latest', 'pending', 'safe', 'finalized']);

/**
 * An eth_getLogs filter rebuilt from the checked fields, with block numbers as its range, so that nothing else reaches the
 * node. Throws 400 for any other field.
 */
export async function boundedLogs(
  rpc: Rpc,
  params: readonly unknown[],
  deadline: number,
): Promise<readonly unknown[]> {
  const { fromBlock = 'latest', toBlock = 'latest', blockHash, address, topics } = readFilter(params);
  // Undefined fields are omitted from the JSON.
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
  // A pending block has no reliable logs, and on some nodes no number.
  const tag = value === 'pending' ? 'latest' : value;
  const block = await rpc('eth_getBlockByNumber', [tag, false], { deadline });
  const number = (block as { readonly number?: unknown } | null)?.number;
  if (typeof number === 'string' && QUANTITY.test(number)) return BigInt(number);
  throw new ApiError(502, 'The node gave an unusable answer: a block without a number');
}

/** An absent or null field is undefined. */
interface LogFilter {
  readonly fromBlock?: unknown;
  readonly toBlock?: unknown;
  readonly blockHash?: unknown;
  readonly address?: unknown;
  readonly topics?: unknown;
}

const FIELDS: readonly (keyof LogFilter)[] = ['fromBlock', 'toBlock', 'blockHash', 'address', 'topics'];
const MAX_TOPICS = 4; // a log has no more
/** geth's limit for addresses, and for the topics of one position. */
const MAX_ALTERNATIVES = 1_000;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** The fields of the filter of eth_getLogs, all checked except for the range. Throws 400 for an unknown field. */
function readFilter(params: readonly unknown[]): LogFilter {
  const [filter] = params;
  if (params.length !== 1 || !isRecord(filter)) {
    throw invalidParameter('params', params, 'one filter object for eth_getLogs');
  }
  const given: LogFilter = knownFields(filter, FIELDS, 'the filter of eth_getLogs');
  checkBlockHash(given);
  checkAddress(given.address);
  checkTopics(given.topics);
  return given;
}

function checkBlockHash({ blockHash, fromBlock, toBlock }: LogFilter): void {
  if (blockHash === undefined) return;
  if (fromBlock !== undefined || toBlock !== undefined) {
    throw invalidParameter('blockHash', blockHash, 'without fromBlock and toBlock');
  }
  if (matches(HASH, blockHash)) return;
  throw invalidParameter('blockHash', blockHash, '0x and 64 hexadecimal digits');
}

function checkAddress(address: unknown): void {
  if (address === undefined || isOneOrSeveral(ADDRESS, address)) return;
  throw invalidParameter('address', address, `an address, or a list of up to ${MAX_ALTERNATIVES}`);
}

function checkTopics(topics: unknown): void {
  if (topics === undefined) return;
  const fits =
    Array.isArray(topics) &&
    topics.length <= MAX_TOPICS &&
    topics.every((topic) => topic === null || isOneOrSeveral(HASH, topic));
  if (fits) return;
  const each = `null, a topic (0x and 64 hexadecimal digits), or a list of up to ${MAX_ALTERNATIVES} topics`;
  throw invalidParameter('topics', topics, `a list of up to ${MAX_TOPICS}, each ${each}`);
}

function isOneOrSeveral(form: RegExp, value: unknown): boolean {
  if (!Array.isArray(value)) return matches(form, value);
  return value.length <= MAX_ALTERNATIVES && value.every((one) => matches(form, one));
}

function matches(form: RegExp, value: unknown): boolean {
  return typeof value === 'string' && form.test(value);
}
