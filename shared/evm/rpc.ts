import { isDeeperThan } from '../platform/json-fields.ts';
import { AnswerTooLarge, type HttpAnswer, type Post, TransportError } from '../platform/transport.ts';
import { type JsonRpcError, NodeError, nodeError, nodeLimit, unusableAnswer } from './node-error.ts';

/**
 * One JSON-RPC call; `deadline` in milliseconds since the epoch. Throws NodeError if the node refuses, is unreachable or
 * returns an unusable response: 400 if the request is invalid.
 */
export type Rpc = (
  method: string,
  params: readonly unknown[],
  options: { readonly deadline: number; readonly maxBytes?: number },
) => Promise<unknown>;

const MAX_BYTES = 4 * 1024 * 1024;
/**
 * The deepest params or result that are passed on. Those of Ethereum's methods have six levels (the storage keys in the
 * access lists of a block's transactions); JSON.stringify overflows the call stack at a few thousand.
 */
export const MAX_LEVELS = 64;

/** JSON-RPC 2.0 over HTTP; `chain` is the node's name in errors, `timeoutMs` the time limit of one call. */
export function createRpc(chain: string, post: Post, timeoutMs: number): Rpc {
  let lastId = 0;

  return async (method, params, { deadline, maxBytes = MAX_BYTES }) => {
    lastId += 1;
    const id = lastId;
    const json = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const limits = { timeoutMs: Math.max(1, Math.min(timeoutMs, deadline - Date.now())), maxBytes };
    const posted = await post(json, limits).catch((error: unknown) => {
      throw error instanceof TransportError ? unreachable(chain, error, maxBytes) : error;
    });
    return resultOf(chain, id, posted);
  };
}

function unreachable(chain: string, error: TransportError, maxBytes: number): NodeError {
  if (error instanceof AnswerTooLarge) {
    const limit = `${Math.floor(maxBytes / 1024)} KB`;
    return new NodeError('too-large', 400, `The answer is larger than the limit of ${limit}: ask for less`);
  }
  switch (error.kind) {
    case 'timeout':
      return new NodeError('timed-out', 504, `The ${chain} node timed out: ${error.message}`);
    case 'connection':
      return new NodeError('unreachable', 502, `The ${chain} node is unreachable: ${error.message}`);
    default:
      return unusableAnswer(chain, error.message);
  }
}

function resultOf(chain: string, id: number, { status, body, headers }: HttpAnswer): unknown {
  if (status === 429) {
    const retryAfter = headers['retry-after'] ?? '';
    throw nodeLimit(chain, /^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) : undefined);
  }
  // The body is about the key, which is not the caller's.
  if (status === 401 || status === 403) throw failed(chain, 'key-refused', status);
  const answer = parse(body.toString('utf8'));
  const isOurs = answer?.id === id;
  // Providers send JSON-RPC errors with any status, and without an id for a request that they could not parse.
  if (isJsonRpcError(answer?.error) && (isOurs || answer.id == null)) throw nodeError(chain, answer.error);
  if (status !== 200) throw failed(chain, 'other', status);
  if (!answer) throw unusableAnswer(chain, 'broken JSON');
  if (Array.isArray(answer)) throw unusableAnswer(chain, 'a batch');
  if (!isOurs) throw unusableAnswer(chain, 'its id is not that of the request');
  if (answer.result === undefined) throw unusableAnswer(chain, 'no result');
  if (isDeeperThan(answer.result, MAX_LEVELS)) {
    throw unusableAnswer(chain, `nested more than ${MAX_LEVELS} levels deep`);
  }
  return answer.result;
}

function failed(chain: string, kind: 'key-refused' | 'other', status: number): NodeError {
  return new NodeError(kind, 502, `The ${chain} node answered ${status}`);
}

type Answer = { readonly id?: unknown; readonly error?: unknown; readonly result?: unknown };

/** Any object, including arrays, for callers to check. */
function parse(body: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJsonRpcError(error: unknown): error is JsonRpcError {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as Partial<Record<'code' | 'message', unknown>>; // of any type
  return typeof code === 'number' && typeof message === 'string';
}
