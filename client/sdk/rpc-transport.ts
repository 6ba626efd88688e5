import { ApiFailure } from './failure.ts';
import type { CallOptions } from './request.ts';
import type { Client } from './routes.ts';

type Proxy = Client['rpc']['proxy'];

/** An EIP-1193 provider without events or accounts: what `custom()` of viem and `BrowserProvider` of ethers take. */
export interface RpcTransport {
  /** The node's result. Rejects with ProviderRpcError, or with the reason of the signal, which viem gives if told to. */
  request(
    call: { readonly method: string; readonly params?: unknown },
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<unknown>;
}

/** The error of EIP-1193: `code` after EIP-1193 and EIP-1474, and 3, as nodes have it, for a revert. */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError';
  readonly code: number;
  /** The bytes that a contract reverted with, in hexadecimal; undefined if the service does not tell all of them. */
  readonly data: string | undefined;
  /** What the service said. Not the `cause`: viem takes the innermost error for the node's, and looks for data there. */
  readonly failure: ApiFailure;

  constructor(message: string, code: number, data: string | undefined, failure: ApiFailure) {
    super(message);
    this.code = code;
    this.data = data;
    this.failure = failure;
  }
}

/**
 * Reads of one chain through the service's RPC proxy, without the node's key. The chain's id, which libraries ask for
 * again and again, is asked for once. `options` are those of every call. With `retry`, `retryCount` of viem is to be 0:
 * viem would repeat each of our tries.
 *
 * @example
 * const transport = custom(rpcTransport(client, 'mainnet', { retry: true }), { retryCount: 0 });
 * const reader = createPublicClient({ transport });
 */
export function rpcTransport(
  client: { readonly rpc: { readonly proxy: Proxy } },
  chain: Parameters<Proxy>[0]['chain'],
  options: CallOptions = {},
): RpcTransport {
  const ask = async (method: string, params: unknown[], signal = options.signal) => {
    try {
      return (await client.rpc.proxy({ chain, method, params }, { ...options, signal })).data;
    } catch (error) {
      throw error instanceof ApiFailure ? rpcError(error) : error;
    }
  };
  let chainId: Promise<unknown> | undefined;
  const askChainId = () =>
    ask('eth_chainId', []).catch((error: unknown) => {
      chainId = undefined;
      throw error;
    });
  return {
    async request({ method, params = [] }, { signal } = {}) {
      if (method === 'eth_chainId') {
        chainId ??= askChainId();
        return await chainId;
      }
      return await ask(method, Array.isArray(params) ? params : [params], signal);
    },
  };
}

function rpcError(failure: ApiFailure): ProviderRpcError {
  const data = failure.headers?.get('x-revert-data') ?? '';
  const isWhole = !failure.headers?.has('x-revert-data-bytes');
  const bytes = isWhole && /^0x([0-9a-f]{2})*$/i.test(data) ? data : undefined;
  return new ProviderRpcError(failure.message, codeOf(failure, bytes), bytes, failure);
}

function codeOf({ status, message }: ApiFailure, data: string | undefined): number {
  if (data !== undefined || (status === 400 && message.startsWith('Execution reverted'))) return 3;
  switch (status) {
    case undefined:
      return 4900; // not connected
    case 401:
      return 4100; // unauthorized
    case 403:
      return 4200; // unsupported method
    case 400:
      return -32000; // invalid input
    case 429:
      return -32005; // limit exceeded
    default:
      return -32603; // internal error
  }
}
