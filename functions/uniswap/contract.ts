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
    Type.Enum(routerNames, { description: 'Only routes that this router trades, say one that was approved' }),
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
      'True if `amountOut` is what arrives: the trade was tried, or its tokens keep nothing of a transfer. False if it is ' +
      'what the pools pay, of which a token may keep a part',
  }),
  fee: Type.Object({
    amount: amountField('What the pools keep of the input, in its base units'),
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
      description: 'The pools that the trade goes through, in order; none where ETH is wrapped or unwrapped',
    },
  ),
  priceImpact: Type.Number({
    description: 'By how many percent the trade is worse than the price before it, pool fees aside',
  }),
  block: Type.Integer({ description: 'The block at which all this is true' }),
  blockHash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'Of that block' }),
  gasEstimate: amountField('About what the whole swap uses, in units of gas'),
  gasCost: orNull(amountField("What that costs at the block's price, in base units of tokenOut")),
  tokens: Type.Array(
    Type.Object({
      address: address('Of the token'),
      symbol: orNull(
        Type.String({ maxLength: 32, description: 'As the token itself has it: anybody may choose one' }),
      ),
      decimals: orNull(Type.Integer({ minimum: 0, maximum: 255 })),
    }),
    { description: 'The tokens of the route, in order; null is what is not known' },
  ),
  router: orNull(
    Type.Enum(routerNames, { description: 'The router of the swap; null for a wrap or unwrap' }),
  ),
  spender: orNull(address('To be approved for tokenIn; null if nothing is')),
});
