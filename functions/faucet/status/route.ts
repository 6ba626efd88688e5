import Type from 'typebox';
import { nodeEnvironment } from '../../../shared/evm/contract.ts';
import { defineRoute } from '../../../shared/http/route.ts';
import { faucetFailures, networkSecrets, statusFields } from '../contract.ts';
import { FAUCET_ROWS } from '../networks.ts';

export const route = defineRoute({
  name: 'faucet/status',
  method: 'GET',
  path: '/api/faucet/status/{requestId}',
  summary: 'The status of a faucet request',
  limit: 'read',
  pathParameters: Type.Object({
    requestId: Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'a request id that /api/faucet/request returned',
    }),
  }),
  response: Type.Object(statusFields),
  failures: { ...faucetFailures, 404: 'There is no such request, or it is older than 30 days' },
  requestSecrets: networkSecrets,
  environment: nodeEnvironment,
  rows: [FAUCET_ROWS],
  example: {},
  maxInitBytes: 69_000,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 10,
});
