import Type from 'typebox';
import type { ChainName } from '../../../shared/chains.ts';
import {
  accountParameter,
  address,
  amountField,
  exampleAccount,
  issuesField,
  orNull,
  swapFields,
  tokenParameter,
} from '../../../shared/evm/contract.ts';
import { amountPattern } from '../../../shared/evm/values.ts';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';

const token = () => address('ETH is shown as its wrapped token');
const amount = (description: string) =>
  Type.String({ pattern: amountPattern, description: `${description} of base units, as decimal digits` });
const taxBps = (when: string) =>
  orNull(Type.Integer(), `What it keeps ${when}, in hundredths of a percent; null if 0x does not know`);

/** The chains that 0x trades on, of those that have a row. */
export const aggregatorNames = ['mainnet', 'base', 'arbitrum'] as const satisfies readonly ChainName[];

export const route = defineRoute({
  name: 'aggregator/quote',
  method: 'POST',
  path: '/api/aggregator/quote',
  summary: 'The best output of all of 0x’s sources, and the unsigned transaction for it',
  description:
    'Without `sender`, an indicative price; with it, a firm quote and the transaction for `sender` to sign, which pays ' +
    '`recipient` at least `minAmountOut`, or reverts. 0x reports no price impact, so there is no limit for it here.',
  limit: 'quote',
  body: Type.Object({
    tokenIn: tokenParameter(),
    tokenOut: tokenParameter(),
    amount: amount('a positive integer'),
    chain: withDefault(Type.Enum(aggregatorNames, { default: 'mainnet', description: 'The chain' })),
    sender: Type.Optional(
      accountParameter('the address that will sign and pay; without it there is no transaction'),
    ),
    recipient: Type.Optional(accountParameter('the address that gets the output; the sender by default')),
    slippageBps: withDefault(Type.Integer({ minimum: 0, maximum: 5000, default: 50 })),
    minAmountOut: Type.Optional(amount('the least that the transaction may bring, a positive integer')),
  }),
  response: Type.Object({
    amountOut: amountField('In base units of tokenOut, fees and known taxes aside'),
    fee: Type.Object({
      amount: amountField(
        "0x's own fee, already deducted from amountOut; the fees of pools are in the price",
      ),
      currency: Type.String({ description: 'Its address, or ETH' }),
      tiers: Type.Array(Type.Integer(), { description: 'Empty: 0x does not report the fees of pools' }),
    }),
    route: Type.Array(
      Type.Object({
        source: Type.String({ description: 'A venue, as 0x calls it' }),
        shareBps: Type.Integer({
          description: 'The part of the amount from tokenIn to tokenOut, in hundredths of a percent',
        }),
        tokenIn: token(),
        tokenOut: token(),
      }),
      { description: 'The parts into which the trade is divided, in order' },
    ),
    priceImpact: Type.Null({ description: 'Not reported by 0x' }),
    gasEstimate: orNull(amountField('In units of gas'), 'Null if 0x has none'),
    gasCost: orNull(
      amountField('In base units of tokenOut'),
      'What the transaction costs, if tokenOut is ETH or its wrapped token; else null',
    ),
    networkFee: orNull(
      amountField('In wei'),
      "What the transaction costs, with an L2's data on L1; null if 0x has no estimate",
    ),
    tokens: Type.Array(
      Type.Object({
        address: token(),
        symbol: orNull(Type.String(), 'The symbol that 0x reports: token creators choose it freely'),
        decimals: Type.Null({ description: 'Not reported by 0x' }),
        buyTaxBps: taxBps('when bought'),
        sellTaxBps: taxBps('when sold'),
      }),
      { description: 'The tokens on the way' },
    ),
    router: Type.Null({ description: 'There is only one contract to call' }),
    spender: orNull(address('The contract to approve for tokenIn'), 'Null if no approval is needed'),
    block: Type.Integer({ description: 'The block at which 0x read its sources' }),
    blockHash: Type.Null({ description: 'Not reported by 0x' }),
    transaction: orNull(
      Type.Object({
        ...swapFields,
        gasLimit: orNull(
          amountField('The estimate of 0x'),
          'Null if 0x could not simulate the swap: let the wallet estimate it once the issues are resolved',
        ),
        issues: issuesField,
      }),
      'Unsigned; null without `sender`',
    ),
  }),
  responseHeaders: { 'x-data-source': '`0x`, or `simulated` for simulated responses' },
  failures: {
    404: '0x finds no liquidity between the tokens for this amount',
    502: '0x is unreachable, fails, refuses our key, or returns an unusable response',
    504: '0x does not respond in time',
  },
  secrets: ['ZEROX_API_KEY'],
  environment: ['ZEROX_BASE_URL', 'UPSTREAM_TIMEOUT_MS'],
  example: {
    tokenIn: 'ETH',
    tokenOut: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    amount: '1000000000000000000',
    sender: exampleAccount,
  },
  maxInitBytes: 67_200,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
