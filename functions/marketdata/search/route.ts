import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { coinType, registryEntry, registryRoute } from '../contract.ts';

export const route = defineRoute({
  ...registryRoute,
  name: 'marketdata/search',
  method: 'GET',
  path: '/api/marketdata/search',
  summary: 'Coins by symbol, name or id, tolerating typos',
  query: Type.Object({
    q: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'one or several words, up to 100 characters',
    }),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
    active: withDefault(Type.Boolean({ default: false, description: 'true: only active coins' })),
    type: Type.Optional(coinType),
  }),
  response: Type.Object({
    query: Type.String(),
    count: Type.Integer(),
    results: Type.Array(registryEntry, { description: 'Best match first' }),
  }),
  example: { q: 'bitcon', limit: 2 },
});
