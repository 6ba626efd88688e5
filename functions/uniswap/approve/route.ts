import Type from 'typebox';
import {
  accountParameter,
  address,
  chainParameter,
  checkedFields,
  nodeEnvironment,
  nodeFailures,
  nodeSecrets,
  orNull,
  payloadFields,
} from '../../../shared/evm/contract.ts';
import { amountPattern } from '../../../shared/evm/values.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { exampleToken } from '../contract.ts';
import { routerNames } from '../deployments.ts';

export const route = defineRoute({
  name: 'uniswap/approve',
  method: 'POST',
  path: '/api/uniswap/approve',
  summary: 'An unsigned approval that lets a Uniswap router transfer a token',
  description:
    'Sign and send it before a swap of the token, or together with it. SwapRouter02 trades in V2 and V3; the `router` ' +
    'of a quote says which one its swap will call. Pass the `owner` for a token like Tether, which changes an ' +
    'allowance only from or to 0: `reset` is then to be sent first. ETH needs no approval.',
  limit: 'quote',
  body: Type.Object({
    token: accountParameter("the token's address"),
    amount: Type.String({
      pattern: amountPattern,
      description: 'an integer of base units, as a text of decimal digits; 0 revokes an approval',
    }),
    chain: chainParameter,
    router: withDefault(Type.Enum(routerNames, { default: 'SwapRouter02' })),
    owner: Type.Optional(
      accountParameter('the address that will sign: for a closer gas estimate, and for `reset`'),
    ),
  }),
  response: Type.Object({
    ...payloadFields,
    ...checkedFields,
    from: orNull(address(), 'The address that must sign it; null for any'),
    reset: orNull(
      Type.Object(payloadFields),
      'To send first, if the token must have an allowance of zero before a new one; else null',
    ),
  }),
  failures: { 404: 'There is no token at the address', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { token: exampleToken, amount: '1000000000000000000', chain: 'local' },
  maxInitBytes: 86_200,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 10,
});
