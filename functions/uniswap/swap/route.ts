import Type from 'typebox';
import {
  accountParameter,
  amountField,
  exampleAccount,
  nodeEnvironment,
  nodeFailures,
  nodeSecrets,
} from '../../../shared/evm/contract.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { payloadFields, quoteResponse, tradeExample, tradeParameters } from '../contract.ts';

export const route = defineRoute({
  name: 'uniswap/swap',
  method: 'POST',
  path: '/api/uniswap/swap',
  summary: 'The unsigned transaction that swaps an exact amount in by the best route',
  description:
    'Sign it with the key of `sender` and send it: it pays `recipient` at least `minAmountOut`, or reverts. ETH is ' +
    'wrapped and unwrapped by the router. Where the sender lacks balance or allowance, the error says how much.',
  limit: 'quote',
  body: Type.Object({
    ...tradeParameters,
    recipient: accountParameter('the address that gets the output'),
    sender: Type.Optional(accountParameter('the address that will sign and pay; the recipient unless told')),
    slippageBps: withDefault(Type.Integer({ minimum: 0, maximum: 5000, default: 50 })),
    deadlineSeconds: withDefault(Type.Integer({ minimum: 1, maximum: 86_400, default: 1200 })),
  }),
  response: Type.Object({
    ...payloadFields,
    minAmountOut: amountField('The swap reverts below it; in base units of tokenOut'),
    quote: quoteResponse,
  }),
  failures: { 404: 'No pool leads from one token to the other', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { ...tradeExample, recipient: exampleAccount },
  maxInitBytes: 87_000,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
