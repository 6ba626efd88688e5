import Type from 'typebox';
import { chainEnum, nodeEnvironment, nodeFailures, nodeSecrets } from '../../../shared/evm/contract.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';

export const route = defineRoute({
  name: 'rpc/proxy',
  method: 'POST',
  path: '/api/rpc/{chain}',
  summary: "One read from a chain's node, without its key",
  description:
    'One JSON-RPC request of the methods that only read; `data` is its result. No batches. eth_getLogs looks through ' +
    'at most 1,000 blocks, eth_feeHistory at most 1,024 with 100 percentiles. A call has at most 50 million gas and ' +
    'replaces state but no code; eth_simulateV1 makes at most 8 blocks with 32 calls in all. Unknown fields are ' +
    'refused. An answer is at most 1 MB, and neither it nor `params` is nested more than 64 levels deep. At ten ' +
    'requests a minute it is a convenience, not a node.',
  limit: 'proxy',
  pathParameters: Type.Object({ chain: chainEnum() }),
  body: Type.Object({
    jsonrpc: Type.Optional(Type.Enum(['2.0'])),
    id: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: 255,
        description: 'a text or a number, as JSON-RPC has it; not repeated in the answer',
      }),
    ),
    method: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'a JSON-RPC method such as eth_blockNumber',
    }),
    params: withDefault(
      Type.Array(Type.Unknown(), { default: [], description: 'a list, as the method has it' }),
    ),
  }),
  maxBodyBytes: 65_536,
  response: Type.Unknown({ description: "The node's result" }),
  responseHeaders: {
    'x-revert-data':
      'With a 400 about a call that reverted: the bytes that it reverted with, 0x and hexadecimal digits; the first ' +
      '2,047 of more',
    'x-revert-data-bytes': 'Only if `x-revert-data` is cut: how many bytes there are',
  },
  failures: { 403: 'The method is not one of those that only read', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { chain: 'local', method: 'eth_chainId' },
  maxInitBytes: 73_300,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
