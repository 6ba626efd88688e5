import type { Node } from '../../../shared/evm/node.ts';
import { NodeError } from '../../../shared/evm/node-error.ts';
import { meetNodes, nodeFor } from '../../../shared/evm/nodes.ts';
import { MAX_LEVELS } from '../../../shared/evm/rpc.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { ApiError } from '../../../shared/http/errors.ts';
import { fetchedSecret } from '../../../shared/platform/fetched-secret.ts';
import { isDeeperThan } from '../../../shared/platform/json-fields.ts';
import { boundedCall, boundedFeeHistory, boundedSimulation } from './calls.ts';
import { boundedLogs } from './logs.ts';
import { route } from './route.ts';

/** The only methods that the RPC proxy forwards: they read, and do not make a node keep state for the caller. */
const readMethods: ReadonlySet<string> = new Set([
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_simulateV1',
  'eth_syncing',
  'net_version',
  'web3_clientVersion',
]);

const MAX_ANSWER_BYTES = 1024 * 1024;

export const handler = endpoint(
  route,
  async ({ chain, method, params }, dependencies) => {
    if (!readMethods.has(method)) throw new ApiError(403, `Method not allowed: ${method}`);
    if (isDeeperThan(params, MAX_LEVELS)) {
      const allowed = `at most ${MAX_LEVELS} levels`;
      throw new ApiError(400, `Invalid parameter params: a value nested too deeply; allowed: ${allowed}`);
    }
    const { deadline, headers } = dependencies;
    const node = await nodeFor(chain, dependencies);
    await node.assertChain(deadline);
    const bounded = await boundedParams(node, method, params, deadline);
    return node.rpc(method, bounded, { deadline, maxBytes: MAX_ANSWER_BYTES }).catch((error: unknown) => {
      Object.assign(headers, revertHeaders(error));
      throw error;
    });
  },
  fetchedSecret,
);

await meetNodes();

/** Limits the params of the methods that may cost a node most; returns all others unchanged. */
async function boundedParams(
  { rpc }: Node,
  method: string,
  params: readonly unknown[],
  deadline: number,
): Promise<readonly unknown[]> {
  switch (method) {
    case 'eth_getLogs':
      return boundedLogs(rpc, params, deadline);
    case 'eth_simulateV1':
      return boundedSimulation(params);
    case 'eth_feeHistory':
      return boundedFeeHistory(params);
    case 'eth_call':
    case 'eth_estimateGas':
    case 'eth_createAccessList':
      return boundedCall(method, params);
    default:
      return params;
  }
}

/** Makes a header of 4 KB; a response's headers are limited to 10 KB (API Gateway quotas). */
const MAX_REVERT_BYTES = 2_047;

/** The headers with a revert's bytes; if there are too many, the first ones and their number. */
function revertHeaders(error: unknown): Record<string, string> {
  const data = error instanceof NodeError ? error.data : undefined;
  if (data === undefined) return {};
  const length = (data.length - 2) / 2;
  if (length <= MAX_REVERT_BYTES) return { 'x-revert-data': data };
  return { 'x-revert-data': data.slice(0, 2 + 2 * MAX_REVERT_BYTES), 'x-revert-data-bytes': String(length) };
}
