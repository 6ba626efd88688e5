import type { Hex } from 'viem';
import { ApiError } from '../http/errors.ts';
import { count } from '../platform/metrics.ts';
import { withParts } from '../platform/redaction.ts';
import { notNodeUrls } from '../platform/setting-problems.ts';
import { createPost } from '../platform/transport.ts';
import { postWithoutEcho } from '../platform/without-echo.ts';
import type { Address } from './address.ts';
import { toQuantity } from './amount.ts';
import type { Chain } from './chain.ts';
import { NodeError, unusableAnswer } from './node-error.ts';
import { createRpc, type Rpc } from './rpc.ts';

export interface CallRequest {
  readonly to: Address;
  readonly data: Hex;
  readonly from?: Address;
  /** In wei. */
  readonly value?: bigint;
}

/** What a call finds in place of an account's own state (geth.ethereum.org, "eth_call", state override set). */
interface AccountOverride {
  readonly code?: Hex;
  /** In wei. */
  readonly balance?: bigint;
  /** Of storage slots, 32 bytes each; all others stay as they are. */
  readonly stateDiff?: Readonly<Record<Hex, Hex>>;
}

export type StateOverrides = Readonly<Record<Address, AccountOverride>>;

export interface Block {
  readonly number: bigint;
  readonly hash: Hex;
  /** In wei a unit of gas; 0 on a chain without one. */
  readonly baseFeePerGas: bigint;
  /** In seconds since the epoch. */
  readonly timestamp: number;
}

/**
 * A chain's node; `deadline` in ms since the epoch. What fails is a NodeError. With `rpc` it is a 400 if the request
 * cannot be, for that is the caller's; with `estimateGas`, if the transaction cannot. Else it is never the caller's 400.
 */
export interface Node<C extends Chain = Chain> {
  readonly chain: C;
  readonly rpc: Rpc;
  /** The answer of a method that answers a number. */
  quantity(method: string, params: readonly unknown[], deadline: number): Promise<bigint>;
  /** Throws the 500 of a wrong configuration if the node belongs to another chain. */
  assertChain(deadline: number): Promise<void>;
  blockNumber(deadline: number): Promise<bigint>;
  /** The newest block. */
  block(deadline: number): Promise<Block>;
  call(
    request: CallRequest,
    block: bigint | 'latest',
    deadline: number,
    overrides?: StateOverrides,
  ): Promise<Hex>;
  estimateGas(request: CallRequest, deadline: number): Promise<bigint>;
  balance(account: Address, deadline: number): Promise<bigint>;
}

/**
 * The node at the URL that the chain's secret holds, or the two nodes at two URLs separated by a comma. Throws the 500 of
 * a wrong configuration if it holds anything else.
 */
export function createNode<C extends Chain>(chain: C, secret: string, timeoutMs: number): Node<C> {
  const [first = '', second] = secret.split(',').map((url) => url.trim());
  const problem = notNodeUrls(secret);
  if (problem) {
    count('SecretUnusable');
    throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} ${problem}`);
  }
  // No answer of either repeats what belongs to the other.
  const keys = withParts([secret]);
  const at = (url: string) => nodeAt(chain, url, keys, timeoutMs);
  return second === undefined ? at(first) : withFallback(at(first), at(second));
}

function nodeAt<C extends Chain>(chain: C, url: string, keys: readonly string[], timeoutMs: number): Node<C> {
  const post = postWithoutEcho(createPost(url), keys);
  const rpc = createRpc(chain.name, post, timeoutMs);
  let chainChecked = false;

  const ask = (method: string, params: readonly unknown[], deadline: number) =>
    rpc(method, params, { deadline }).catch((error: unknown) => {
      throw error instanceof NodeError ? error.asOurs() : error;
    });
  const quantity = async (method: string, params: readonly unknown[], deadline: number) =>
    toBigInt(chain, await ask(method, params, deadline));

  return {
    chain,
    rpc,
    quantity,
    async assertChain(deadline) {
      if (chainChecked) return;
      const chainId = await quantity('eth_chainId', [], deadline);
      if (chainId !== BigInt(chain.chainId)) {
        throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} belongs to chain ${chainId}`);
      }
      chainChecked = true;
    },
    blockNumber: (deadline) => quantity('eth_blockNumber', [], deadline),
    block: async (deadline) => toBlock(chain, await ask('eth_getBlockByNumber', ['latest', false], deadline)),
    async call(request, block, deadline, overrides) {
      const at = block === 'latest' ? block : toQuantity(block);
      // Not every node takes a third parameter, so only a call that needs it has one.
      const state = overrides ? [overrideObject(overrides)] : [];
      const result = await ask('eth_call', [callObject(request), at, ...state], deadline);
      if (typeof result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(result)) throw nonsense(chain);
      return result as Hex; // its form was checked
    },
    async estimateGas(request, deadline) {
      const estimate = rpc('eth_estimateGas', [callObject(request)], { deadline });
      return toBigInt(chain, await estimate.catch(refuseTransaction));
    },
    balance: (account, deadline) => quantity('eth_getBalance', [account, 'latest'], deadline),
  };
}

function callObject({ value, ...request }: CallRequest): Record<string, string> {
  return value === undefined ? request : { ...request, value: toQuantity(value) };
}

function overrideObject(overrides: StateOverrides): Record<string, object> {
  const written = Object.entries(overrides).map(([account, { balance, ...state }]) => [
    account,
    balance === undefined ? state : { ...state, balance: toQuantity(balance) },
  ]);
  return Object.fromEntries(written);
}

function toBlock(chain: Chain, answer: unknown): Block {
  // Of whatever types its fields are.
  const { number, hash, baseFeePerGas = '0x0', timestamp } = (answer ?? {}) as Record<string, unknown>;
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash)) throw nonsense(chain);
  return {
    number: toBigInt(chain, number),
    hash: hash as Hex, // its form was checked
    baseFeePerGas: toBigInt(chain, baseFeePerGas),
    timestamp: Number(toBigInt(chain, timestamp)),
  };
}

function toBigInt(chain: Chain, quantity: unknown): bigint {
  if (typeof quantity !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(quantity)) throw nonsense(chain);
  return BigInt(quantity);
}

function nonsense(chain: Chain): NodeError {
  return unusableAnswer(chain.name, 'not a hexadecimal value');
}

/** The transaction is the caller's; how the node is asked is not. */
function refuseTransaction(error: unknown): never {
  if (!(error instanceof NodeError)) throw error;
  throw /^(reverted|out-of-gas|insufficient-funds)$/.test(error.kind) ? error : error.asOurs();
}

const nodes = new Map<string, { readonly secret: string; readonly node: Node }>();

/** The node of a chain in this container, with its kept connections; made anew when the secret has changed. */
export function nodeOf(chain: Chain, secret: string, timeoutMs: number): Node {
  const kept = nodes.get(chain.name);
  if (kept?.secret === secret) return kept.node;
  const node = createNode(chain, secret, timeoutMs);
  nodes.set(chain.name, { secret, node });
  return node;
}

/** So long the other node goes first: with several calls to a request, waiting anew for each would use up its time. */
const REST_MS = 10_000;

/**
 * Two nodes of one chain as one. If the first does not answer within half of the time that is left, or fails by itself,
 * the second is asked, once, and goes first for the next ten seconds. What a node answers about a request stands:
 * nobody else is asked for a revert. Each has to say the chain's id before it is asked anything.
 */
export function withFallback<C extends Chain>(first: Node<C>, second: Node<C>): Node<C> {
  let afterFailure = second;
  let restsUntil = 0;

  async function ask<T>(deadline: number, use: (node: Node<C>, deadline: number) => Promise<T>): Promise<T> {
    const now = Date.now();
    const preferred = now < restsUntil ? afterFailure : first;
    try {
      return await answerOf(preferred, now + (deadline - now) / 2, use);
    } catch (error) {
      if (!(error instanceof NodeError && error.isOutage)) throw error;
      const other = preferred === first ? second : first;
      // One of another chain takes nobody's place: the failure of a moment would last for ten seconds.
      await other.assertChain(deadline);
      afterFailure = other;
      restsUntil = Date.now() + REST_MS;
      return answerOf(other, deadline, use);
    }
  }

  async function answerOf<T>(
    node: Node<C>,
    deadline: number,
    use: (node: Node<C>, deadline: number) => Promise<T>,
  ): Promise<T> {
    await node.assertChain(deadline);
    if (node === second) count('NodeFallback');
    return use(node, deadline);
  }

  return {
    chain: first.chain,
    rpc: (method, params, { deadline, maxBytes }) =>
      ask(deadline, (node, by) => node.rpc(method, params, { deadline: by, ...(maxBytes && { maxBytes }) })),
    quantity: (method, params, deadline) => ask(deadline, (node, by) => node.quantity(method, params, by)),
    assertChain: (deadline) => ask(deadline, (node, by) => node.assertChain(by)),
    blockNumber: (deadline) => ask(deadline, (node, by) => node.blockNumber(by)),
    block: (deadline) => ask(deadline, (node, by) => node.block(by)),
    call: (request, block, deadline, overrides) =>
      ask(deadline, (node, by) => node.call(request, block, by, overrides)),
    estimateGas: (request, deadline) => ask(deadline, (node, by) => node.estimateGas(request, by)),
    balance: (account, deadline) => ask(deadline, (node, by) => node.balance(account, by)),
  };
}
