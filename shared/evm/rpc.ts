import { ApiError } from '../http/errors.ts';
import { AnswerTooLarge, type HttpAnswer, type Post, TransportError } from '../platform/transport.ts';
import { type JsonRpcError, nodeError } from './node-error.ts';

/**
 * One JSON-RPC call; `deadline` in milliseconds since the epoch. Throws NodeError if the node refuses, ApiError if it
 * is not there or answers nonsense.
 */
export type Rpc = (
  method: string,
  params: readonly unknown[],
  options: { readonly deadline: number; readonly maxBytes?: number },
) => Promise<unknown>;

const MAX_BYTES = 4 * 1024 * 1024;

/** JSON-RPC 2.0 over HTTP; `chain` is what errors call the node, `timeoutMs` the longest that one call may take. */
export function createRpc(chain: string, post: Post, timeoutMs: number): Rpc {
  let lastId = 0;

  return async (method, params, { deadline, maxBytes = MAX_BYTES }) => {
    lastId += 1;
    const json = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params });
    const limits = { timeoutMs: Math.max(1, Math.min(timeoutMs, deadline - Date.now())), maxBytes };
    const posted = await post(json, limits).catch((error: unknown) => {
      throw error instanceof TransportError ? unreachable(chain, error, maxBytes) : error;
    });
    return resultOf(chain, posted);
  };
}

function unreachable(chain: string, error: TransportError, maxBytes: number): ApiError {
  if (error instanceof AnswerTooLarge) {
    const kilobytes = Math.floor(maxBytes / 1024);
    return new ApiError(400, `The answer is larger than the limit of ${kilobytes} KB: ask for less`);
  }
  if (error.kind === 'timeout') return new ApiError(504, `The ${chain} node timed out: ${error.message}`);
  if (error.kind === 'connection')
    return new ApiError(502, `The ${chain} node is unreachable: ${error.message}`);
  return unusable(chain, error.message);
}

function unusable(chain: string, what: string): ApiError {
  return new ApiError(502, `The ${chain} node gave an unusable answer: ${what}`);
}

function resultOf(chain: string, { status, body, headers }: HttpAnswer): unknown {
  if (status === 429) {
    const retryAfter = headers['retry-after'] ?? '';
    throw ApiError.rateLimited(/^\d{1,4}$/.test(retryAfter) ? Number(retryAfter) : 10);
  }
  const answer = parse(body.toString('utf8'));
  // Providers send JSON-RPC errors with any status.
  if (isJsonRpcError(answer?.error)) throw nodeError(chain, answer.error);
  if (status !== 200) throw new ApiError(502, `The ${chain} node answered ${status}`);
  if (!answer) throw unusable(chain, 'broken JSON');
  if (answer.result === undefined) throw unusable(chain, 'no result');
  return answer.result;
}

function parse(body: string): { readonly error?: unknown; readonly result?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJsonRpcError(error: unknown): error is JsonRpcError {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as Partial<Record<'code' | 'message', unknown>>; // of whatever type they are
  return typeof code === 'number' && typeof message === 'string';
}
