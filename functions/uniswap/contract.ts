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
      description: 'Only routes that this router trades, for example one that is already approved',
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
      'True if `amountOut` is the amount that arrives: the trade was simulated, or its tokens charge no transfer fee. ' +
      'False if it is the amount that the pools pay, from which a token may deduct a fee',
  }),
  fee: Type.Object({
    amount: amountField("The pools' fees, in base units of the input"),
    currency: Type.String({ description: 'The input: its address, or ETH' }),
    tiers: Type.Array(Type.Integer(), { description: 'The fee of each hop, in millionths: 3000 is 0.3 %' }),
  }),
  route: Type.Array(
    Type.Object({
      type: Type.Enum(['v2', 'v3']),
      pool: address("The pool's address"),
      feeTier: Type.Integer({ description: 'In millionths' }),
      tokenIn: address('ETH is shown as its wrapped token'),
      tokenOut: address('ETH is shown as its wrapped token'),
    }),
    {
      description: 'The pools of the trade, in order; none if ETH is wrapped or unwrapped',
    },
  ),
  priceImpact: Type.Number({
    description:
      "The percentage by which the trade's price is worse than the pools' price before it, without pool fees",
  }),
  block: Type.Integer({ description: 'The block of all these figures' }),
  blockHash: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'The hash of that block' }),
  gasEstimate: amountField('The approximate gas of the whole swap'),
  gasCost: orNull(amountField("The cost of that gas at the block's gas price, in base units of tokenOut")),
  tokens: Type.Array(
    Type.Object({
      address: address("The token's address"),
      symbol: orNull(
        Type.String({
          maxLength: 32,
          description: 'The symbol that the token reports: its creator chooses it freely',
        }),
      ),
      decimals: orNull(Type.Integer({ minimum: 0, maximum: 255 })),
    }),
    { description: 'The tokens of the route, in order; unknown facts are null' },
  ),
  router: orNull(
    Type.Enum(routerNames, { description: 'The router of the swap; null for a wrap or unwrap' }),
  ),
  spender: orNull(address('The contract to approve for tokenIn; null if no approval is needed')),
});
