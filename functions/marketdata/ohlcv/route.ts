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

const number = Type.Union([Type.Number(), Type.Null()]);
const instant = (description: string) => Type.String({ minLength: 1, maxLength: 40, description });

export const candle = Type.Object({
  time_open: Type.String({ description: 'ISO 8601, UTC' }),
  time_close: Type.String({
    description:
      'ISO 8601, UTC: the last second of its interval; for the running candle, the time of its newest data',
  }),
  open: Type.Number(),
  high: Type.Number(),
  low: Type.Number(),
  close: Type.Number(),
  volume: number,
  market_cap: number,
  new_unit: Type.Optional(
    Type.Literal(true, {
      description: 'Present if the coin was redenominated in it: candles before it are in another unit',
    }),
  ),
  source: Type.Optional(Type.String({ description: 'The candle’s source; only with `provenance=true`' })),
  quality: Type.Optional(
    Type.Enum(['exact', 'sampled', 'derived'], {
      description: 'exact, sampled or derived, as in `x-data-quality`; only with `provenance=true`',
    }),
  ),
  rate: Type.Optional(rateField),
  complete: Type.Optional(
    Type.Boolean({
      description:
        'Whether it is closed and has all hours or days of its interval, which the first and the running candle may lack; only with `provenance=true`',
    }),
  ),
});

export const interval = Type.Enum(['1h', '24h', '7d', '14d', '30d', '90d', '365d'], { default: '24h' });
export const quote = Type.Enum(['usd', 'btc'], { default: 'usd' });

export const route = defineRoute({
  name: 'marketdata/ohlcv',
  method: 'GET',
  path: '/api/marketdata/ohlcv/{id}',
  summary: 'Candles (open, high, low, close, volume) of one coin',
  description:
    'In US dollars, in bitcoin, or in a `currency`: then each hour or day is converted at the exchange rate that counted at its end, and has as many digits as the less exact of price and rate. Candles of times without a rate are left out.',
  limit: 'read',
  pathParameters: coinIdParameter,
  query: Type.Object({
    interval: withDefault(interval),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 366, default: 30 })),
    start: Type.Optional(instant('an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z')),
    end: Type.Optional(instant('an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z')),
    quote: withDefault(quote),
    currency: Type.Optional(currencyParameter),
    provenance: withDefault(Type.Boolean({ default: false })),
  }),
  response: Type.Object({
    coinId: Type.String(),
    interval: Type.String(),
    quote: Type.String({ description: 'What prices are in: usd, btc, or the requested currency' }),
    count: Type.Integer(),
    data: Type.Array(candle),
  }),
  responseHeaders: marketDataHeaders,
  failures: historyFailures,
  environment: marketDataEnvironment,
  rows: [coinProvider.name],
  registry: true,
  snapshot: true,
  history: true,
  putsCoins: true,
  example: { id: 'btc-bitcoin', limit: 2 },
  maxInitBytes: 104_800,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 40,
});
