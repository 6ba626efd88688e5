import { ApiFailure } from './failure.ts';
import type { CallOptions } from './request.ts';
import type { Client } from './routes.ts';

type Proxy = Client['rpc']['proxy'];

/** An EIP-1193 provider without events or accounts, for viem's `custom()` and ethers' `BrowserProvider`. */
export interface RpcTransport {
  /** The node's result. Rejects with ProviderRpcError, or with the reason of the signal, which viem can pass. */
  request(
    call: { readonly method: string; readonly params?: unknown },
    options?: Pick<CallOptions, 'signal'>,
  ): Promise<unknown>;
}

/** The error of EIP-1193: `code` follows EIP-1193 and EIP-1474; 3 is a revert, as in nodes. */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError';
  readonly code: number;
  /** The revert data of a contract, in hexadecimal; undefined if the service does not return all of it. */
  readonly data: string | undefined;
  /** The service's error. Not the `cause`: viem takes the innermost error for the node's, and looks for data there. */
  readonly failure: ApiFailure;

  constructor(message: string, code: number, data: string | undefined, failure: ApiFailure) {
    super(message);
    this.code = code;
    this.data = data;
    this.failure = failure;
  }
}

/**
 * Reads of one chain through the service's RPC proxy, without the node's key. The chain's id, which libraries
 * read repeatedly, is fetched once. `options` apply to every call. With `retry`, set viem's `retryCount` to 0: viem would
 * repeat each of our attempts.
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
  const call = async (method: string, params: unknown[], signal = options.signal) => {
    try {
      return (await client.rpc.proxy({ chain, method, params }, { ...options, signal })).data;
    } catch (error) {
      throw error instanceof ApiFailure ? rpcError(error) : error;
    }
  };
  let chainId: Promise<unknown> | undefined;
  const fetchChainId = () =>
    call('eth_chainId', []).catch((error: unknown) => {
      chainId = undefined;
      throw error;
    });
  return {
    async request({ method, params = [] }, { signal } = {}) {
      if (method === 'eth_chainId') {
        chainId ??= fetchChainId();
        return await chainId;
      }
      return await call(method, Array.isArray(params) ? params : [params], signal);
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
