import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { coinType, registryEntry, registryRoute } from '../contract.ts';

export const route = defineRoute({
  ...registryRoute,
  name: 'marketdata/coins',
  method: 'GET',
  path: '/api/marketdata/coins',
  summary: 'Coins of one symbol, or all active coins page by page, in rank order',
  query: Type.Object({
    symbol: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'a symbol such as BTC' })),
    active: withDefault(Type.Boolean({ default: true, description: 'false: inactive coins too' })),
    ranked: withDefault(Type.Boolean({ default: false, description: 'true: only coins with a rank' })),
    type: Type.Optional(coinType),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'nextCursor of the previous page' }),
    ),
  }),
  response: Type.Object({
    count: Type.Integer({ description: 'Entries on this page' }),
    total: Type.Integer({ description: 'Entries on all pages' }),
    results: Type.Array(registryEntry),
    nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'Null on the last page' }),
  }),
  example: { symbol: 'BTC', limit: 2 },
});
