import { invalidParameter } from '../../../shared/http/middleware/input.ts';
import { isObject, knownFields } from './known-fields.ts';

/** A field that is absent or null is not there. */
interface LogFilter {
  readonly fromBlock?: unknown;
  readonly toBlock?: unknown;
  readonly blockHash?: unknown;
  readonly address?: unknown;
  readonly topics?: unknown;
}

const FIELDS: readonly (keyof LogFilter)[] = ['fromBlock', 'toBlock', 'blockHash', 'address', 'topics'];
const MAX_TOPICS = 4; // a log has no more
/** The limit of geth for addresses, and for the topics of one place. */
const MAX_ALTERNATIVES = 1_000;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const HASH = /^0x[0-9a-fA-F]{64}$/;

/** The fields of the filter of eth_getLogs, all but the range checked. Throws 400 for a field that it does not know. */
export function readFilter(params: readonly unknown[]): LogFilter {
  const [filter] = params;
  if (params.length !== 1 || !isObject(filter)) {
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
