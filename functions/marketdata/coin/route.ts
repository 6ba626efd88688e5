import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { registryEntry, registryEnvironment, registryHeaders, registryUnavailable } from '../contract.ts';

export const route = defineRoute({
  name: 'marketdata/coin',
  method: 'GET',
  path: '/api/marketdata/coins/{id}',
  summary: 'One coin of the registry',
  limit: 'read',
  pathParameters: Type.Object({
    id: Type.String({ minLength: 1, maxLength: 200, description: 'a coin id such as btc-bitcoin' }),
  }),
  response: registryEntry,
  responseHeaders: registryHeaders,
  failures: { 404: 'The registry does not hold the id', ...registryUnavailable },
  environment: registryEnvironment,
  registry: true,
  example: { id: 'btc-bitcoin' },
  memoryMb: 256,
  timeoutSeconds: 10,
  maxConcurrency: 20,
});
