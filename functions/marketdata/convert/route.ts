import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { qualities } from '../../../shared/marketdata/provenance.ts';
import { amountPattern, amountWords, rounding } from '../../../shared/marketdata/serve/decimals.ts';
import { coinProvider } from '../../../shared/providers/index.ts';
import {
  marketDataEnvironment,
  marketDataFailures,
  marketDataHeaders,
  registryHeaders,
  registryUnavailable,
  relatedCoins,
} from '../contract.ts';

/** An amount in a response. */
export const decimalField = (description: string) =>
  Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description });

/** The origin of a price or an exchange rate. */
export const originFields = {
  source: Type.Union([Type.String(), Type.Null()], { description: 'Its source; null for the US dollar' }),
  quality: Type.Enum([...qualities], { description: 'The quality, as in `x-data-quality`' }),
  dataTime: Type.Union([Type.String(), Type.Null()], {
    description: 'When its source made it: RFC 3339, UTC; null for the US dollar',
  }),
};

/** Shared with the valuation. */
export const moneyRoute = {
  limit: 'read',
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-source': `${marketDataHeaders['x-data-source']}; of all prices and exchange rates in the response`,
    'x-data-time': 'When the oldest of these prices and exchange rates was made: RFC 3339, UTC',
    'x-registry-version': registryHeaders['x-registry-version'],
  },
  registry: true,
  snapshot: true,
  history: true,
  memoryMb: 256,
  maxConcurrency: 10,
} as const;

export const noRates = `${registryUnavailable[503]}, or no exchange rate of the currency is available`;

/** An instant of the past, in place of now. */
export const instant = Type.String({
  description: 'an ISO 8601 date or time that is not in the future, such as 2026-01-31T12:00:00Z',
});

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
    ...relatedCoins,
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
    'Uses stored prices and exchange rates. The price of a coin that is not stored is fetched, with one upstream request, as by `ticker`. With `at` the latest price of at most a day before that instant is used, and the exchange rate that counted then. Three letters that are an ' +
    'ISO 4217 code (any case) are the currency, even while it has no rate; anything else is a ' +
    'coin id, or a symbol, which stands for the coin that `resolve` returns. A symbol of a coin that another replaced ' +
    'leads to that one, marked by `predecessor`, if the swap was one to one; otherwise the 404 states the ratio. A coin whose symbol is the code of a ' +
    `currency is reached by its id. \`rate\` and \`result\` are rounded once, to ${rounding}.`,
  query: Type.Object({
    amount: Type.String({ pattern: amountPattern, description: amountWords }),
    from: asset('btc-bitcoin'),
    to: asset('EUR'),
    at: Type.Optional(instant),
  }),
  response: Type.Object({
    amount: decimalField('The requested amount, without trailing zeros'),
    from: leg,
    to: leg,
    rate: decimalField('One of `from` in `to`'),
    result: decimalField('The amount in `to`'),
    rounding: Type.Enum([rounding], { description: 'The rounding of `rate` and `result`' }),
    ageSeconds: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The age of the older `dataTime`; null from US dollar to US dollar',
    }),
  }),
  failures: {
    ...marketDataFailures,
    404: 'There is no currency or coin of this name, or there is no price or exchange rate at the instant',
    503: noRates,
  },
  environment: [...marketDataEnvironment, 'TOKEN_SOURCES'],
  rows: [coinProvider.name],
  putsCoins: true,
  example: { amount: '1.5', from: 'btc-bitcoin', to: 'usd' },
  maxInitBytes: 90_300,
  timeoutSeconds: 15,
});
