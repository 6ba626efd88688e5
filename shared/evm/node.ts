import type { Hex } from 'viem';
import type { Chain } from '../chains.ts';
import { ApiError } from '../http/errors.ts';
import { count } from '../platform/metrics.ts';
import { notNodeUrls } from '../platform/setting-problems.ts';
import { createPost, type HttpAnswer } from '../platform/transport.ts';
import { NodeError, unusableAnswer } from './node-error.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { type Address, toQuantity } from './values.ts';

export interface CallRequest {
  readonly to: Address;
  readonly data: Hex;
  readonly from?: Address;
  /** In wei. */
  readonly value?: bigint;
}

/** Overrides of an account's state for a call (geth.ethereum.org, "eth_call", state override set). */
interface AccountOverride {
  readonly code?: Hex;
  /** In wei. */
  readonly balance?: bigint;
}

export type StateOverrides = Readonly<Record<Address, AccountOverride>>;

export interface Block {
  readonly number: bigint;
  readonly hash: Hex;
  /** In wei per unit of gas; 0 on a chain without one. */
  readonly baseFeePerGas: bigint;
  /** In seconds since the epoch. */
  readonly timestamp: number;
}

/**
 * A chain's node; `deadline` in ms since the epoch. Failures are NodeErrors. `rpc` throws a 400 for an invalid request, because
 * the request is the caller's; `estimateGas` throws one for a failing transaction. No other failure is a 400.
 */
export interface Node<C extends Chain = Chain> {
  readonly chain: C;
  readonly rpc: Rpc;
  /** The result of a method that returns a number. */
  quantity(method: string, params: readonly unknown[], deadline: number): Promise<bigint>;
  /** Throws the 500 of a wrong configuration if the node belongs to another chain. */
  assertChain(deadline: number): Promise<void>;
  /** The newest block. */
  block(deadline: number): Promise<Block>;
  call(
    request: CallRequest,
    block: bigint | 'latest',
    deadline: number,
    overrides?: StateOverrides,
  ): Promise<Hex>;
  estimateGas(request: CallRequest, deadline: number): Promise<bigint>;
}

/**
 * The node at the URL in the chain's secret, or two nodes at two URLs separated by a comma. Throws the 500 of a wrong
 * configuration for any other value.
 */
export function createNode<C extends Chain>(chain: C, secret: string, timeoutMs: number): Node<C> {
  const [first = '', second] = secret.split(',').map((url) => url.trim());
  const problem = notNodeUrls(secret);
  if (problem) {
    count('SecretUnusable');
    throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} ${problem}`);
  }
  // No response of either may repeat a part of the other's URL. The search for them loads while the first request is under way.
  const cleaning = import('../platform/redaction.ts').then(({ withoutEcho, withParts }) =>
    withoutEcho(withParts([secret])),
  );
  const at = (url: string) => sourceAt(chain, url, cleaning, timeoutMs);
  return nodeOf(chain, second === undefined ? only(at(first)) : eitherOf(at(first), at(second)));
}

type Clean = (answer: HttpAnswer) => HttpAnswer;

/** One URL, and the check that its node belongs to the right chain. */
interface Source {
  readonly rpc: Rpc;
  assertChain(deadline: number): Promise<void>;
}

function sourceAt(chain: Chain, url: string, cleaning: Promise<Clean>, timeoutMs: number): Source {
  const post = createPost(url);
  const rpc = createRpc(
    chain.name,
    async (json, limits) => {
      const answer = await post(json, limits);
      return (await cleaning)(answer);
    },
    timeoutMs,
  );
  let isChecked = false;
  return {
    rpc,
    async assertChain(deadline) {
      if (isChecked) return;
      const chainId = toBigInt(chain, await rpc('eth_chainId', [], { deadline }).catch(refuse));
      if (chainId !== BigInt(chain.chainId)) {
        throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} belongs to chain ${chainId}`);
      }
      isChecked = true;
    },
  };
}

type Use<T> = (source: Source, deadline: number) => Promise<T>;
type WithSource = <T>(deadline: number, use: Use<T>) => Promise<T>;

const only =
  (source: Source): WithSource =>
  (deadline, use) =>
    use(source, deadline);

/**
 * How long the other source stays first: a request has several calls, and waiting for the failing source in each would use up
 * its time.
 */
const REST_MS = 10_000;

/**
 * Two sources as one. If the first does not respond within half of the remaining time, or fails by itself, the second is tried
 * once, and goes first for the next ten seconds. A response about the request is final: a revert is not retried. Each source
 * has to prove its chain before its first request.
 */
function eitherOf(first: Source, second: Source): WithSource {
  let afterFailure = second;
  let restsUntil = 0;

  async function answerOf<T>(source: Source, deadline: number, use: Use<T>): Promise<T> {
    await source.assertChain(deadline);
    if (source === second) count('NodeFallback');
    return use(source, deadline);
  }

  return async (deadline, use) => {
    const now = Date.now();
    const preferred = now < restsUntil ? afterFailure : first;
    try {
      return await answerOf(preferred, now + (deadline - now) / 2, use);
    } catch (error) {
      if (!(error instanceof NodeError && error.isOutage)) throw error;
      const other = preferred === first ? second : first;
      // A source of another chain does not go first: otherwise a momentary failure would last for ten seconds.
      await other.assertChain(deadline);
      afterFailure = other;
      restsUntil = Date.now() + REST_MS;
      return answerOf(other, deadline, use);
    }
  };
}

function nodeOf<C extends Chain>(chain: C, withSource: WithSource): Node<C> {
  const read = <T>(
    method: string,
    params: readonly unknown[],
    parse: (chain: Chain, answer: unknown) => T,
    deadline: number,
    refusal = refuse,
  ) =>
    withSource(deadline, async ({ rpc }, by) =>
      parse(chain, await rpc(method, params, { deadline: by }).catch(refusal)),
    );

  return {
    chain,
    rpc: (method, params, { deadline, ...limits }) =>
      withSource(deadline, ({ rpc }, by) => rpc(method, params, { ...limits, deadline: by })),
    quantity: (method, params, deadline) => read(method, params, toBigInt, deadline),
    assertChain: (deadline) => withSource(deadline, (source, by) => source.assertChain(by)),
    block: (deadline) => read('eth_getBlockByNumber', ['latest', false], toBlock, deadline),
    call(request, block, deadline, overrides) {
      const at = block === 'latest' ? block : toQuantity(block);
      // Not every node accepts a third parameter, so only calls that need it have one.
      const state = overrides ? [overrideObject(overrides)] : [];
      return read('eth_call', [callObject(request), at, ...state], toBytes, deadline);
    },
    estimateGas: (request, deadline) =>
      read('eth_estimateGas', [callObject(request)], toBigInt, deadline, refuseTransaction),
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
  // Its fields may have any type.
  const { number, hash, baseFeePerGas = '0x0', timestamp } = (answer ?? {}) as Record<string, unknown>;
  const hex = toBytes(chain, hash);
  if (hex.length !== 66) throw nonsense(chain);
  return {
    number: toBigInt(chain, number),
    hash: hex,
    baseFeePerGas: toBigInt(chain, baseFeePerGas),
    timestamp: Number(toBigInt(chain, timestamp)),
  };
}

function toBytes(chain: Chain, answer: unknown): Hex {
  if (typeof answer !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer)) throw nonsense(chain);
  return answer as Hex; // its form was checked
}

function toBigInt(chain: Chain, quantity: unknown): bigint {
  if (typeof quantity !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(quantity)) throw nonsense(chain);
  return BigInt(quantity);
}

function nonsense(chain: Chain): NodeError {
  return unusableAnswer(chain.name, 'not a hexadecimal value');
}

/** Throws the error of a call that this service makes by itself: its failure is not the caller's fault. */
function refuse(error: unknown): never {
  throw error instanceof NodeError ? error.asOurs() : error;
}

/** The transaction is the caller's fault; everything else about the call is ours. */
function refuseTransaction(error: unknown): never {
  const isOfTransaction =
    error instanceof NodeError && /^(reverted|out-of-gas|insufficient-funds)$/.test(error.kind);
  throw isOfTransaction ? error : refuse(error);
}
