import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { coinProvider } from '../../../shared/providers/index.ts';
import {
  coinIdParameter,
  currencyParameter,
  historyFailures,
  marketDataEnvironment,
  marketDataHeaders,
  rateField,
} from '../contract.ts';

const MAX_INSTANTS = 100;

const price = Type.Object({
  at: Type.String({ description: 'The requested instant: ISO 8601, UTC' }),
  price: Type.Number(),
  time: Type.String({ description: 'The time of the price: ISO 8601, UTC' }),
  source: Type.String({ description: 'Its source' }),
  quality: Type.Enum(['exact', 'sampled', 'derived'], {
    description: 'exact, sampled or derived, as in `x-data-quality`',
  }),
  rate: Type.Optional(rateField),
});

export const route = defineRoute({
  name: 'marketdata/price',
  method: 'GET',
  path: '/api/marketdata/price/{id}',
  summary: 'The price of one coin at instants of the past',
  description:
    'For each instant the latest known price at or before it, with its time. It comes from a ticker, from a sample taken every ten minutes (for 35 days), or from the close of an hour or a day. Nothing is interpolated. With `currency` it is converted at the exchange rate that counted at the instant. An instant without a known price is `null` in a list, and a 404 that names its neighbours if it is the only one.',
  limit: 'read',
  pathParameters: coinIdParameter,
  query: Type.Object({
    at: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_INSTANTS,
      description:
        'ISO 8601 dates or times that are not in the future, such as 2026-01-31T12:00:00Z; a date without a time is its start',
    }),
    within: withDefault(
      Type.Integer({
        minimum: 1,
        maximum: 31_536_000,
        default: 86_400,
        description: 'The largest age of a price at the instant, in seconds',
      }),
    ),
    currency: Type.Optional(currencyParameter),
  }),
  response: Type.Object({
    coinId: Type.String(),
    quote: Type.String({ description: 'What prices are in: usd, or the requested currency' }),
    count: Type.Integer({ description: 'The number of requested instants' }),
    data: Type.Array(Type.Union([price, Type.Null()])),
  }),
  responseHeaders: marketDataHeaders,
  failures: {
    ...historyFailures,
    404: 'The provider does not know the coin id, or no price is known within that time before the instant, or no exchange rate at it',
  },
  environment: [...marketDataEnvironment, 'TOKEN_SOURCES'],
  rows: [coinProvider.name],
  registry: true,
  snapshot: true,
  history: true,
  putsCoins: true,
  example: { id: 'btc-bitcoin', at: ['2026-01-10T12:00:00Z', '2026-01-14'] },
  maxInitBytes: 102_600,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
