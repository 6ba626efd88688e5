import Type from 'typebox';
import {
  accountParameter,
  chainParameter,
  nodeEnvironment,
  nodeFailures,
  nodeSecrets,
} from '../../../shared/evm/contract.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { amountParameter, exampleToken, payloadFields } from '../contract.ts';

export const route = defineRoute({
  name: 'uniswap/approve',
  method: 'POST',
  path: '/api/uniswap/approve',
  summary: 'An unsigned approval that lets a Uniswap router take a token',
  description:
    'Sign and send it before a swap of the token. V2 and V3 have a router each: the `route` of a quote says which ' +
    'one its swap will call. ETH needs no approval.',
  limit: 'quote',
  body: Type.Object({
    token: accountParameter("the token's address"),
    amount: amountParameter,
    chain: withDefault(chainParameter),
    router: withDefault(Type.Enum(['v3', 'v2'], { default: 'v3' })),
    owner: Type.Optional(accountParameter('the address that will sign, for a closer gas estimate')),
  }),
  response: Type.Object(payloadFields),
  failures: { 404: 'There is no token at the address', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { token: exampleToken, amount: '1000000000000000000', chain: 'local' },
  maxInitBytes: 73_500,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 10,
});
