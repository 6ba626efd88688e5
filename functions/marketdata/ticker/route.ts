import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { coinProvider } from '../../../shared/providers/index.ts';
import {
  coinIdParameter,
  marketDataEnvironment,
  marketDataFailures,
  marketDataHeaders,
} from '../contract.ts';

const number = Type.Union([Type.Number(), Type.Null()]);
const text = Type.Union([Type.String(), Type.Null()]);

const agreement = Type.Object({
  agreeing: Type.Integer({ description: 'Markets whose price is within 2 % of this one' }),
  of: Type.Integer({ description: 'Compared markets, at most one of each exchange' }),
  spreadPercent: Type.Number({
    description: 'The difference between the highest and the lowest of them, in percent of their median',
  }),
  prices: Type.Array(
    Type.Object({
      exchange: Type.String({
        description:
          'Its name as in `x-data-source`; also that of the provider if it contradicts the exchanges',
      }),
      price: Type.Number({ description: 'The price of its last trade, in USD' }),
    }),
  ),
});

export const route = defineRoute({
  name: 'marketdata/ticker',
  method: 'GET',
  path: '/api/marketdata/ticker/{id}',
  summary: 'Current price and market figures of one coin',
  limit: 'read',
  pathParameters: coinIdParameter,
  response: Type.Object({
    id: Type.String(),
    name: Type.String(),
    symbol: Type.String(),
    rank: number,
    circulating_supply: number,
    total_supply: number,
    max_supply: number,
    beta_value: number,
    first_data_at: text,
    last_updated: text,
    quotes: Type.Object({
      USD: Type.Object({
        price: number,
        volume_24h: number,
        volume_24h_change_24h: number,
        market_cap: number,
        market_cap_change_24h: number,
        percent_change_15m: number,
        percent_change_30m: number,
        percent_change_1h: number,
        percent_change_6h: number,
        percent_change_12h: number,
        percent_change_24h: number,
        percent_change_7d: number,
        percent_change_30d: number,
        percent_change_1y: number,
        ath_price: number,
        ath_date: text,
        figures_at: Type.Union([Type.String(), Type.Null()], {
          description:
            'When the oldest of the figures was made, if some are older than the price: ISO 8601; else null',
        }),
        percent_from_price_ath: number,
      }),
    }),
    sources: Type.Union([agreement, Type.Null()], {
      description:
        'The prices of exchanges, compared with this one; null if no exchange is known to trade the coin',
    }),
  }),
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-time': `${marketDataHeaders['x-data-time']}. Absent if the provider does not report the ticker’s time`,
  },
  failures: marketDataFailures,
  environment: marketDataEnvironment,
  rows: [coinProvider.name],
  registry: true,
  snapshot: true,
  history: true,
  putsCoins: true,
  example: { id: 'btc-bitcoin' },
  maxInitBytes: 73_400,
  memoryMb: 256,
  timeoutSeconds: 15,
  maxConcurrency: 40,
});
