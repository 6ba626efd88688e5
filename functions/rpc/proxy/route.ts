import Type from 'typebox';
import { chainEnum, nodeEnvironment, nodeFailures, nodeSecrets } from '../../../shared/evm/contract.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';

export const route = defineRoute({
  name: 'rpc/proxy',
  method: 'POST',
  path: '/api/rpc/{chain}',
  summary: "One read from a chain's node, without its key",
  description:
    'One JSON-RPC request of a method that only reads; `data` is its result. No batches. eth_getLogs searches ' +
    'at most 1,000 blocks, eth_feeHistory at most 1,024 with 100 percentiles. A call has at most 50 million gas and ' +
    'replaces state but no code; eth_simulateV1 makes at most 8 blocks with 32 calls in all. Unknown fields are ' +
    'refused. A response is at most 1 MB, and neither it nor `params` is nested more than 64 levels deep. At ten ' +
    'requests a minute it is a convenience, not a node.',
  limit: 'proxy',
  pathParameters: Type.Object({ chain: chainEnum() }),
  body: Type.Object({
    jsonrpc: Type.Optional(Type.Enum(['2.0'])),
    id: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 255,
        description: 'a JSON-RPC id, a text or a number; not repeated in the response',
      }),
    ),
    method: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'a JSON-RPC method such as eth_blockNumber',
    }),
    params: withDefault(
      Type.Array(Type.Unknown(), { default: [], description: 'the method’s parameters as a list' }),
    ),
  }),
  maxBodyBytes: 65_536,
  response: Type.Unknown({ description: "The node's result" }),
  responseHeaders: {
    'x-revert-data':
      'The revert data of a reverted call, in its 400: 0x and hexadecimal digits; the first ' +
      '2,047 bytes if there are more',
    'x-revert-data-bytes': 'Only if `x-revert-data` is cut off: the number of bytes',
  },
  failures: { 403: 'The method is not an allowed read method', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { chain: 'local', method: 'eth_chainId' },
  maxInitBytes: 74_000,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
