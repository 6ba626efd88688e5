import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { faucetEnvironment, faucetFailures, grantFields, networkSecrets } from '../contract.ts';

export const route = defineRoute({
  name: 'faucet/status',
  method: 'GET',
  path: '/api/faucet/status/{requestId}',
  summary: 'What has become of a faucet request',
  limit: 'read',
  pathParameters: Type.Object({
    requestId: Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'a request id as /api/faucet/request answered it',
    }),
  }),
  response: Type.Object({
    ...grantFields,
    confirmations: Type.Integer({
      description: 'Blocks that stand on it, its own included; 0: not mined yet',
    }),
  }),
  failures: { ...faucetFailures, 404: 'There is no such request, or it is older than 30 days' },
  requestSecrets: networkSecrets,
  environment: faucetEnvironment,
  example: {},
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 10,
});
