import Type from 'typebox';
import { nodeEnvironment, nodeFailures, nodeSecrets } from '../../../shared/evm/contract.ts';
import { defineRoute } from '../../../shared/http/route.ts';
import { quoteResponse, tradeExample, tradeParameters } from '../contract.ts';

export const route = defineRoute({
  name: 'uniswap/quote',
  method: 'POST',
  path: '/api/uniswap/quote',
  summary: 'The best output of Uniswap V2 and V3 for an exact input',
  description:
    'All V3 fee tiers and V2, direct and through the common intermediate tokens, also one after the other, at the newest ' +
    'block. What is left after gas decides. A trade of ETH for a token that is not common is tried, so that `amountOut` is ' +
    'what arrives; `verified` says whether it is.',
  limit: 'quote',
  body: Type.Object(tradeParameters),
  response: quoteResponse,
  failures: { 404: 'No route of pools leads from one token to the other', ...nodeFailures },
  requestSecrets: nodeSecrets,
  environment: nodeEnvironment,
  example: tradeExample,
  maxInitBytes: 108_000,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
