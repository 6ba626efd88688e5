import type { Hex } from 'viem';
import { ApiError } from '../http/errors.ts';
import { count } from '../platform/metrics.ts';
import { withParts } from '../platform/redaction.ts';
import { createPost } from '../platform/transport.ts';
import { postWithoutEcho } from '../platform/without-echo.ts';
import type { Address } from './address.ts';
import { toQuantity } from './amount.ts';
import type { Chain } from './chain.ts';
import { createRpc, type Rpc } from './rpc.ts';

export interface CallRequest {
  readonly to: Address;
  readonly data: Hex;
  readonly from?: Address;
  /** In wei. */
  readonly value?: bigint;
}

/** A chain's node. Every method throws as Rpc does; `deadline` in ms since the epoch. */
export interface Node<C extends Chain = Chain> {
  readonly chain: C;
  readonly rpc: Rpc;
  /** The answer of a method that answers a number. */
  quantity(method: string, params: readonly unknown[], deadline: number): Promise<bigint>;
  /** Throws the 500 of a wrong configuration if the node belongs to another chain. */
  assertChain(deadline: number): Promise<void>;
  blockNumber(deadline: number): Promise<bigint>;
  call(request: CallRequest, block: bigint | 'latest', deadline: number): Promise<Hex>;
  estimateGas(request: CallRequest, deadline: number): Promise<bigint>;
  balance(account: Address, deadline: number): Promise<bigint>;
}

/** Throws the 500 of a wrong configuration if the URL is not an HTTP URL. */
export function createNode<C extends Chain>(chain: C, url: string, timeoutMs: number): Node<C> {
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    count('SecretUnusable');
    throw ApiError.serverConfiguration(`${chain.rpcUrlSecret} is not an http:// or https:// URL`);
  }
  const post = postWithoutEcho(createPost(url), withParts([url]));
  const rpc = createRpc(chain.name, post, timeoutMs);
  let chainChecked = false;

  const quantity = async (method: string, params: readonly unknown[], deadline: number) =>
    toBigInt(chain, await rpc(method, params, { deadline }));

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
    async call(request, block, deadline) {
      const at = block === 'latest' ? block : toQuantity(block);
      const result = await rpc('eth_call', [callObject(request), at], { deadline });
      if (typeof result !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(result)) throw nonsense(chain);
      return result as Hex; // its form was checked
    },
    estimateGas: (request, deadline) => quantity('eth_estimateGas', [callObject(request)], deadline),
    balance: (account, deadline) => quantity('eth_getBalance', [account, 'latest'], deadline),
  };
}

function callObject({ value, ...request }: CallRequest): Record<string, string> {
  return value === undefined ? request : { ...request, value: toQuantity(value) };
}

function toBigInt(chain: Chain, quantity: unknown): bigint {
  if (typeof quantity !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(quantity)) throw nonsense(chain);
  return BigInt(quantity);
}

function nonsense(chain: Chain): ApiError {
  return new ApiError(502, `The ${chain.name} node gave an unusable answer: not a hexadecimal value`);
}

const nodes = new Map<string, { readonly url: string; readonly node: Node }>();

/** The node of a chain in this container, with its kept connections; made anew when the secret has changed. */
export function nodeOf(chain: Chain, url: string, timeoutMs: number): Node {
  const kept = nodes.get(chain.name);
  if (kept?.url === url) return kept.node;
  const node = createNode(chain, url, timeoutMs);
  nodes.set(chain.name, { url, node });
  return node;
}
