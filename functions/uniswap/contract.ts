import Type from 'typebox';
import { amountPattern } from '../../shared/evm/amount.ts';
import { accountParameter, address, amountField, chainParameter } from '../../shared/evm/contract.ts';
import { withDefault } from '../../shared/http/route.ts';
import { uniswapChain } from './deployments.ts';

export const amountParameter = Type.String({
  pattern: amountPattern,
  description: 'a positive integer of base units (wei, for ETH), as a text of decimal digits',
});

export const tradeParameters = {
  tokenIn: accountParameter("a token's address, or ETH"),
  tokenOut: accountParameter("a token's address, or ETH"),
  amount: amountParameter,
  chain: withDefault(chainParameter),
};

/** A token of the chain `local`, for the documents' examples. */
export const exampleToken = uniswapChain('local').uniswap.intermediates[1] ?? '';

export const tradeExample = {
  tokenIn: 'ETH',
  tokenOut: exampleToken,
  amount: '1000000000000000000',
  chain: 'local',
};

export const quoteResponse = Type.Object({
  amountOut: amountField('In base units of tokenOut'),
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
    { description: 'The pools that the trade goes through, in order; all of one version' },
  ),
  priceImpact: Type.Number({
    description: 'By how many percent the trade is worse than the price before it, fees aside',
  }),
  block: Type.Integer({ description: 'The block at which all this is true' }),
});

/** An unsigned transaction. */
export const payloadFields = {
  to: address('The contract to call'),
  data: Type.String({ pattern: '^0x([0-9a-f]{2})*$', description: 'Calldata' }),
  value: amountField('In wei, to send along'),
  gasLimit: amountField("More than the node's estimate, by a fifth at least"),
};
