import { ApiError } from '../http/errors.ts';
import { revertReason } from './revert.ts';

/** The error object of JSON-RPC with which a node refuses (jsonrpc.org/specification, "Error object"). */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

type NodeErrorKind =
  | 'reverted'
  | 'insufficient-funds'
  | 'rate-limited'
  | 'unknown-block'
  | 'already-known'
  | 'stale-nonce'
  | 'too-much'
  | 'parameters'
  | 'method'
  | 'other';

/** A refusal of the node, in our words: its own may quote its address, its key or its provider's advertising. */
export class NodeError extends ApiError {
  readonly kind: NodeErrorKind;
  /** The reason of a revert, if the contract gives one. */
  readonly reason: string | undefined;

  constructor(
    kind: NodeErrorKind,
    status: number,
    text: string,
    { reason, headers }: { reason?: string | undefined; headers?: Record<string, string> } = {},
  ) {
    super(status, text, headers && { headers });
    this.kind = kind;
    this.reason = reason;
  }
}

/** The 429 of the chain's node; `retryAfterSeconds` is ten unless the node says. */
export function nodeLimit(chain: string, retryAfterSeconds = 10): NodeError {
  const seconds = String(Math.max(1, retryAfterSeconds));
  const text = `Rate limit exceeded: the limit of the ${chain} node; try again in ${seconds} s`;
  return new NodeError('rate-limited', 429, text, { headers: { 'retry-after': seconds } });
}

/**
 * The code alone does not tell: geth, erigon, anvil and the providers in front of them use -32000 and -32005 for
 * many things. In order, because a text may match several.
 */
const texts: readonly (readonly [NodeErrorKind, RegExp])[] = [
  ['insufficient-funds', /insufficient funds|gas required exceeds allowance/i],
  ['reverted', /revert|invalid (fe)?opcode|evm error|out of gas/i],
  ['already-known', /already known|known transaction|already imported/i],
  ['stale-nonce', /nonce too low|replacement transaction underpriced/i],
  ['unknown-block', /header not found|unknown block|block not found|missing trie node|blockoutofrange/i],
  ['too-much', /more than \d+ (results|logs)|response size|block range|query (timeout|exceeds)/i],
  ['rate-limited', /rate limit|too many requests|limit exceeded|(capacity|quota|credits|throughput)/i],
];

const codes: Readonly<Record<number, NodeErrorKind>> = {
  3: 'reverted',
  [-32005]: 'rate-limited',
  [-32029]: 'rate-limited',
  [-32600]: 'parameters',
  [-32601]: 'method',
  [-32602]: 'parameters',
};

/** The error that the caller may see for a node's refusal; `chain` is named, nothing else of the node is. */
export function nodeError(chain: string, { code, message, data }: JsonRpcError): NodeError {
  const kind = texts.find(([, text]) => text.test(message))?.[0] ?? codes[code] ?? 'other';
  switch (kind) {
    case 'reverted': {
      const reason = revertReason(data);
      return new NodeError(kind, 400, `Execution reverted${reason ? `: ${reason}` : ''}`, { reason });
    }
    case 'insufficient-funds':
      return new NodeError(kind, 400, 'Insufficient funds for value and gas');
    case 'rate-limited':
      return nodeLimit(chain);
    case 'unknown-block':
      return new NodeError(kind, 400, `The ${chain} node does not know this block`);
    case 'too-much':
      return new NodeError(kind, 400, `The ${chain} node refuses so large an answer: ask for less`);
    case 'parameters':
      return new NodeError(kind, 400, `The ${chain} node refused the parameters (error ${code})`);
    case 'method':
      return new NodeError(kind, 502, `The ${chain} node does not offer this method`);
    default:
      return new NodeError(kind, 502, `The ${chain} node failed (error ${code})`);
  }
}
