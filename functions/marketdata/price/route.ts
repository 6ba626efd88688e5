import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { providerNames } from '../../../shared/providers/index.ts';
import { coinIdParameter, historyFailures, marketDataEnvironment, marketDataHeaders } from '../contract.ts';

const MAX_INSTANTS = 100;

const price = Type.Object({
  at: Type.String({ description: 'What was asked for, as ISO 8601 in UTC' }),
  price: Type.Number(),
  time: Type.String({ description: 'When it was the price: ISO 8601, UTC' }),
  source: Type.String({ description: 'Who told it' }),
  quality: Type.Enum(['exact', 'sampled', 'derived'], {
    description: 'exact, sampled or derived, as `x-data-quality` has them',
  }),
});

export const route = defineRoute({
  name: 'marketdata/price',
  method: 'GET',
  path: '/api/marketdata/price/{id}',
  summary: 'The price of one coin at instants of the past',
  description:
    'For each instant the nearest known price at or before it, with the time at which it was the price: that of a ticker, of a sample taken every ten minutes (for 35 days), or the close of an hour or a day. Nothing is interpolated. An instant without a known price is `null` in a list, and a 404 that names its neighbours if it is the only one.',
  limit: 'read',
  pathParameters: coinIdParameter,
  query: Type.Object({
    at: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_INSTANTS,
      description:
        'ISO 8601 dates or times that are not in the future, such as 2026-01-31T12:00:00Z; a date without a time is its first instant',
    }),
    within: withDefault(
      Type.Integer({
        minimum: 1,
        maximum: 31_536_000,
        default: 86_400,
        description: 'Seconds before the instant from which a price may be',
      }),
    ),
  }),
  response: Type.Object({
    coinId: Type.String(),
    quote: Type.Enum(['usd']),
    count: Type.Integer({ description: 'How many instants were asked for' }),
    data: Type.Array(Type.Union([price, Type.Null()])),
  }),
  responseHeaders: marketDataHeaders,
  failures: {
    ...historyFailures,
    404: 'The provider does not know the coin id, or no price is known within the time before the instant',
  },
  environment: [...marketDataEnvironment, 'TOKEN_SOURCES'],
  rows: providerNames,
  registry: true,
  snapshot: true,
  history: true,
  putsCoins: true,
  example: { id: 'btc-bitcoin', at: ['2026-01-10T12:00:00Z', '2026-01-14'] },
  maxInitBytes: 98_000,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 20,
});
