import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { AMONG, MOVERS } from '../../../shared/marketdata/serve/overview.ts';
import { marketDataHeaders, noListFailure } from '../contract.ts';

const total = Type.Object({
  usd: Type.Union([Type.Number(), Type.Null()], { description: 'Null if no coin of the list has a value' }),
  coins: Type.Integer({ description: 'The number of coins in the sum' }),
});

const mover = Type.Object({
  id: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  price: Type.Number({ description: 'In USD' }),
  change: Type.Number({ description: 'The change in 24 hours, in percent' }),
});

export const route = defineRoute({
  name: 'marketdata/overview',
  method: 'GET',
  path: '/api/marketdata/overview',
  summary: 'The market at a glance: totals, the two largest coins, and the day’s gainers and losers',
  description:
    'Adds up the coins of the ticker snapshot, the largest that the provider’s plan lists, and no others. A coin whose price is old, disputed or held back counts with its last believed price, for up to twelve hours; gainers and losers leave it out.',
  limit: 'read',
  response: Type.Object({
    marketCap: total,
    volume24h: total,
    largest: Type.Array(
      Type.Object({
        id: Type.String(),
        share: Type.Number({ description: 'In percent of `marketCap`' }),
      }),
      { description: 'The two coins with the largest market cap' },
    ),
    activeCoins: Type.Union([Type.Integer(), Type.Null()], {
      description: 'All active coins of the registry, in the snapshot or not',
    }),
    gainers: Type.Array(mover, {
      description: `Up to ${MOVERS} of the ${AMONG} first by rank, the largest change first; without disputed prices, and with more than threefold ones only if a market agrees`,
    }),
    losers: Type.Array(mover, { description: 'The same, downwards' }),
    takenAt: Type.String({ description: 'When the snapshot was taken: ISO 8601, UTC' }),
  }),
  responseHeaders: {
    ...marketDataHeaders,
    'x-data-quality':
      '`stale`: the snapshot is past its lifetime, or coins with an old price are 1 % of the market cap or more; `disputed`: the same of coins with a disputed price; else `exact`',
    'x-data-time': 'When the price of the coin in the middle was made: RFC 3339, UTC',
  },
  failures: noListFailure,
  environment: ['REGISTRY_PATH', 'STALE_WAIT_MS'],
  registry: true,
  snapshot: true,
  example: {},
  maxInitBytes: 70_600,
  memoryMb: 512,
  timeoutSeconds: 10,
  maxConcurrency: 5,
});
