import type { Hex } from 'viem';
import { decodeAbiParameters } from 'viem/utils';
import { ApiError } from '../http/errors.ts';
import { cleanText } from '../platform/clean-text.ts';

/** The error object of JSON-RPC with which a node refuses (jsonrpc.org/specification, "Error object"). */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

type NodeErrorKind =
  | 'reverted'
  | 'out-of-gas'
  | 'insufficient-funds'
  | 'rate-limited'
  | 'unknown-block'
  | 'already-known'
  | 'stale-nonce'
  | 'underpriced'
  | 'too-much'
  | 'too-large'
  | 'parameters'
  | 'method'
  | 'key-refused'
  | 'unreachable'
  | 'timed-out'
  | 'unusable'
  | 'other';

/** Failures to process the request; another node may succeed. */
const outages: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>([
  'rate-limited',
  'key-refused',
  'unreachable',
  'timed-out',
  'unusable',
  'other',
]);

interface Details {
  readonly reason?: string | undefined;
  readonly data?: Hex | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure of the node, in our words: the node's own text may contain its address, its key or its provider's advertising. */
export class NodeError extends ApiError {
  readonly kind: NodeErrorKind;
  /** The reason of a revert, if the contract returns one. */
  readonly reason: string | undefined;
  /** The bytes of a revert, if the node sends them. */
  readonly data: Hex | undefined;

  constructor(kind: NodeErrorKind, status: number, text: string, details: Details = {}) {
    super(status, text, details.headers && { headers: details.headers });
    this.kind = kind;
    this.reason = details.reason;
    this.data = details.data;
  }

  /** True if the node did not process the request, and another one may. */
  get isOutage(): boolean {
    return outages.has(this.kind);
  }

  /** The error of a call that this service makes by itself: then a bad request is not the caller's fault. */
  asOurs(): NodeError {
    if (this.statusCode !== 400) return this;
    const { kind, reason, data, message } = this;
    return new NodeError(kind, 502, `A call of this service failed: ${message}`, { reason, data });
  }
}

/** The 429 of the chain's node, with the node's own delay in seconds if it returns one. */
export function nodeLimit(chain: string, retryAfterSeconds = 10): NodeError {
  const { message, headers } = ApiError.rateLimited(`the limit of the ${chain} node`, retryAfterSeconds);
  return new NodeError('rate-limited', 429, message, { headers });
}

export function unusableAnswer(chain: string, what: string): NodeError {
  return new NodeError('unusable', 502, `The ${chain} node gave an unusable answer: ${what}`);
}

/**
 * The code alone is not enough: geth, erigon, anvil and the providers in front of them use -32000 and -32005 for many things.
 * Ordered, because a text may match several patterns; a revert's text may contain a contract's own words.
 */
const texts: readonly (readonly [NodeErrorKind, RegExp])[] = [
  ['reverted', /^execution reverted/i],
  ['parameters', /sender not an eoa|sender has deployed code|senders with deployed code/i],
  ['out-of-gas', /out ?of ?gas|gas uint64 overflow|intrinsic gas too high|gas limit.*exceeds|rpc gas ?cap/i],
  ['insufficient-funds', /insufficient funds|gas required exceeds allowance/i],
  ['reverted', /revert|invalid (fe)?opcode|evm error/i],
  ['already-known', /already known|known transaction|already imported/i],
  ['stale-nonce', /nonce too low/i],
  ['underpriced', /underpriced|fee per gas less than block base fee/i],
  ['unknown-block', /header not found|unknown block|block not found|missing trie node|blockoutofrange/i],
  ['too-much', /more than \d+ (results|logs)|response size|block range|query (timeout|exceeds)/i],
  ['rate-limited', /rate limit|too many requests|limit exceeded|(capacity|quota|credits|throughput)/i],
  ['key-refused', /unauthori[sz]ed|must be authenticated|(api[ -]?key|project id|access token)/i],
];
/** Real texts are short, and searching one of megabytes may take long. */
const MAX_TEXT = 1_000;

const codes: Readonly<Record<number, NodeErrorKind>> = {
  3: 'reverted',
  [-32005]: 'rate-limited',
  [-32029]: 'rate-limited',
  [-32600]: 'parameters',
  [-32601]: 'method',
  [-32602]: 'parameters',
};

/** The caller's error for a node's refusal; it names `chain` and nothing else about the node. */
export function nodeError(chain: string, { code, message, data }: JsonRpcError): NodeError {
  const text = message.slice(0, MAX_TEXT);
  const kind = texts.find(([, known]) => known.test(text))?.[0] ?? codes[code] ?? 'other';
  if (kind === 'rate-limited') return nodeLimit(chain);
  if (kind === 'reverted') {
    const bytes = revertData(data);
    const reason = bytes && revertReason(bytes);
    const reverted = `Execution reverted${reason ? `: ${reason}` : ''}`;
    return new NodeError(kind, 400, reverted, { reason, data: bytes });
  }
  const answers: Partial<Record<NodeErrorKind, readonly [status: number, text: string]>> = {
    'out-of-gas': [400, `Out of gas: the call needs more than it has, or than the ${chain} node allows`],
    'insufficient-funds': [400, 'Insufficient funds for value and gas'],
    'unknown-block': [400, `The ${chain} node does not know this block`],
    'too-much': [400, `The ${chain} node refuses so large an answer: ask for less`],
    parameters: [400, `The ${chain} node refused the parameters (error ${code})`],
    method: [502, `The ${chain} node does not offer this method`],
    'key-refused': [502, `The ${chain} node refuses the key of this service`],
  };
  return new NodeError(kind, ...(answers[kind] ?? [502, `The ${chain} node failed (error ${code})`]));
}

const ERROR_STRING = '0x08c379a0'; // Error(string)
const PANIC = '0x4e487b71'; // Panic(uint256)
const MAX_REASON = 200;

/** The bytes of a revert in the `data` of a node's error; undefined if there are none. */
function revertData(data: unknown): Hex | undefined {
  if (typeof data !== 'string') return undefined;
  // Some nodes put a word in front (Nethermind, and others after Parity).
  return /^(?:Reverted )?(0x(?:[0-9a-f]{2})*)$/i.exec(data)?.[1] as Hex | undefined; // its form was checked
}

/** The reason in a contract's data; undefined if there is none (docs.soliditylang.org, "Error handling"). */
export function revertReason(data: Hex): string | undefined {
  if (data.length < 10) return undefined;
  const selector = data.slice(0, 10).toLowerCase();
  const parameters: Hex = `0x${data.slice(10)}`;
  try {
    if (selector === ERROR_STRING) return printable(decodeAbiParameters([{ type: 'string' }], parameters)[0]);
    if (selector === PANIC) {
      return `panic 0x${decodeAbiParameters([{ type: 'uint256' }], parameters)[0].toString(16)}`;
    }
  } catch {
    // Its data only resembles one of the two.
  }
  return `custom error ${selector}`;
}

/** A text that a contract chose, made safe: one line of limited length. */
function printable(text: string): string | undefined {
  const clean = cleanText(text).trim();
  return clean.length > MAX_REASON ? `${cleanText(clean.slice(0, MAX_REASON))}…` : clean || undefined;
}
