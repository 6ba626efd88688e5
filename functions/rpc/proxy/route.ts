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
    'at most 1,000 blocks and refuses unknown fields of its filter. An answer is at most 1 MB, and neither it nor ' +
    '`params` is nested more than 64 levels deep.',
  limit: 'proxy',
  pathParameters: Type.Object({ chain: chainEnum() }),
  body: Type.Object({
    jsonrpc: Type.Optional(Type.Enum(['2.0'])),
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
  failures: { 403: 'The method is not one of those that only read', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { chain: 'local', method: 'eth_chainId' },
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
