import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { amount, decimalField, moneyRoute, noRates, originFields } from '../money/contract.ts';
import { rounding } from '../money/decimal.ts';

const asset = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: `a currency's code, a coin id or a symbol, such as ${example}`,
  });

const leg = Type.Union([
  Type.Object({
    kind: Type.Enum(['coin']),
    id: Type.String(),
    symbol: Type.String(),
    name: Type.String(),
    ...originFields,
  }),
  Type.Object({ kind: Type.Enum(['currency']), code: Type.String(), ...originFields }),
]);

export const route = defineRoute({
  ...moneyRoute,
  name: 'marketdata/convert',
  method: 'GET',
  path: '/api/marketdata/convert',
  summary: 'An amount of one coin or currency in another',
  description:
    'From prices and exchange rates that are at hand; nobody is asked for one. Three letters that are the code of a ' +
    'known currency (USD, EUR and those that there are rates of; any case) are the currency; anything else is a ' +
    'coin id, or a symbol, which stands for the coin that `resolve` says. A coin whose symbol is the code of a ' +
    `currency is reached by its id. \`rate\` and \`result\` are rounded once, to ${rounding}.`,
  query: Type.Object({ amount, from: asset('btc-bitcoin'), to: asset('EUR') }),
  response: Type.Object({
    amount: decimalField('As asked for, without needless zeros'),
    from: leg,
    to: leg,
    rate: decimalField('One of `from` in `to`'),
    result: decimalField('The amount in `to`'),
    rounding: Type.Enum([rounding], { description: 'Of `rate` and `result`' }),
    ageSeconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Of the older of the two `dataTime`; null from US dollar to US dollar',
    }),
  }),
  failures: {
    404: 'No currency or coin goes by this name, or no price of the coin is at hand',
    503: `${noRates}, or no price at all`,
  },
  example: { amount: '1.5', from: 'btc-bitcoin', to: 'usd' },
  maxInitBytes: 78_500,
});
