import { defineRoute } from '../../../shared/http/route.ts';
import { coinIdParameter, registryEntry, registryRoute, registryUnavailable } from '../contract.ts';

export const route = defineRoute({
  ...registryRoute,
  name: 'marketdata/coin',
  method: 'GET',
  path: '/api/marketdata/coins/{id}',
  summary: 'One coin of the registry',
  pathParameters: coinIdParameter,
  response: registryEntry,
  failures: { 404: 'The registry does not contain the id', ...registryUnavailable },
  example: { id: 'btc-bitcoin' },
});
