import Type from 'typebox';
import { chains } from '../../shared/chains.ts';
import { address, amountField, chainParameter, orNull, tokenParameter } from '../../shared/evm/contract.ts';
import { amountPattern } from '../../shared/evm/values.ts';
import { routerNames } from './deployments.ts';

const amountParameter = Type.String({
  pattern: amountPattern,
  description: 'a positive integer of base units (wei, for ETH), as a text of decimal digits',
});

export const tradeParameters = {
  tokenIn: tokenParameter(),
  tokenOut: tokenParameter(),
  amount: amountParameter,
  chain: chainParameter,
  router: Type.Optional(
    Type.Enum(routerNames, {
      description: 'Only routes of this router, such as one that is approved already',
    }),
  ),
};

/** A token of the chain `local`, for the documents' examples. */
export const exampleToken = chains.local.tokens[1]?.address ?? '';

export const tradeExample = {
  tokenIn: 'ETH',
  tokenOut: exampleToken,
  amount: '1000000000000000000',
  chain: 'local',
};

export const quoteResponse = Type.Object({
  amountOut: amountField('In base units of tokenOut'),
  verified: Type.Boolean({
    description:
      'True if `amountOut` is what arrives: the trade was tried, or its tokens have no transfer fee. False if it is ' +
      'what the pools pay, before the fees of unknown tokens',
  }),
  fee: Type.Object({
    amount: amountField('The fees of the pools, in base units of the input'),
    currency: Type.String({ description: 'The input: its address, or ETH' }),
    tiers: Type.Array(Type.Integer(), { description: 'Of each hop, in millionths: 3000 is 0.3 %' }),
  }),
  route: Type.Array(
    Type.Object({
      type: Type.Enum(['v2', 'v3']),
      pool: address('Of the pool'),
      feeTier: Type.Integer({ description: 'In millionths' }),
      tokenIn: address('ETH is shown as its wrapped token'),
      tokenOut: address('ETH is shown as its wrapped token'),
    }),
    {
      description: 'The pools of the route, in order; empty if ETH is wrapped or unwrapped',
    },
  ),
  priceImpact: Type.Number({
    description: 'The loss against the price before the trade in percent, without the fees of pools',
  }),
  block: Type.Integer({ description: 'The block of these figures' }),
  blockHash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'Of that block' }),
  gasEstimate: amountField('The estimate for the whole swap, in units of gas'),
  gasCost: orNull(amountField("What that costs at the block's price, in base units of tokenOut")),
  tokens: Type.Array(
    Type.Object({
      address: address('Of the token'),
      symbol: orNull(
        Type.String({ maxLength: 32, description: 'As the token reports it: its creator may choose any' }),
      ),
      decimals: orNull(Type.Integer({ minimum: 0, maximum: 255 })),
    }),
    { description: 'The tokens of the route, in order; null if unknown' },
  ),
  router: orNull(
    Type.Enum(routerNames, { description: 'The router of the swap; null for a wrap or unwrap' }),
  ),
  spender: orNull(address('The contract to approve for tokenIn; null if none is needed')),
});
