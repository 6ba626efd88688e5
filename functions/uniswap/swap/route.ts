import Type from 'typebox';
import {
  accountParameter,
  exampleAccount,
  issuesField,
  nodeEnvironment,
  nodeFailures,
  nodeSecrets,
  swapFields,
} from '../../../shared/evm/contract.ts';
import { amountPattern } from '../../../shared/evm/values.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { quoteResponse, tradeExample, tradeParameters } from '../contract.ts';

export const route = defineRoute({
  name: 'uniswap/swap',
  method: 'POST',
  path: '/api/uniswap/swap',
  summary: 'The unsigned transaction that swaps an exact amount in by the best route',
  description:
    'Sign it with the key of `sender` and send it: it pays `recipient` at least `minAmountOut`, or reverts. The routes ' +
    'are tried on the node as the sender, and `quote.amountOut` is what arrived. ETH is wrapped and unwrapped by the ' +
    'router. What the sender still lacks is in `issues`.',
  limit: 'quote',
  body: Type.Object({
    ...tradeParameters,
    recipient: accountParameter('the address that gets the output'),
    sender: Type.Optional(accountParameter('the address that will sign and pay; the recipient by default')),
    slippageBps: withDefault(Type.Integer({ minimum: 0, maximum: 5000, default: 50 })),
    minAmountOut: Type.Optional(
      Type.String({
        pattern: amountPattern,
        description: 'the least to accept, in base units of tokenOut; replaces slippageBps',
      }),
    ),
    maxPriceImpactBps: withDefault(Type.Integer({ minimum: 0, maximum: 10_000, default: 1500 })),
    deadlineSeconds: withDefault(Type.Integer({ minimum: 1, maximum: 86_400, default: 1200 })),
  }),
  response: Type.Object({
    ...swapFields,
    deadline: Type.Integer({
      description: 'The time in seconds since 1970, after which the router refuses it',
    }),
    issues: issuesField,
    quote: quoteResponse,
  }),
  failures: { 404: 'No route of pools leads from one token to the other', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: { ...tradeExample, recipient: exampleAccount },
  maxInitBytes: 127_200,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
