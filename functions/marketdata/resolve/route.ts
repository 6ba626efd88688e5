import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { coinType, registryRoute, registryUnavailable } from '../contract.ts';

export const route = defineRoute({
  ...registryRoute,
  name: 'marketdata/resolve',
  method: 'GET',
  path: '/api/marketdata/resolve/{symbol}',
  summary: 'The coin that a symbol stands for',
  description:
    'Among the active, ranked coins of that symbol the one of the lowest rank; at equal rank a coin before a token. Symbols compare without regard to case and surrounding space.',
  pathParameters: Type.Object({
    symbol: Type.String({ minLength: 1, maxLength: 100, description: 'a symbol such as BTC' }),
  }),
  response: Type.Object({
    symbol: Type.String(),
    id: Type.String(),
    name: Type.String(),
    rank: Type.Integer(),
    type: coinType,
    alternatives: Type.Integer({ description: 'How many other active coins share the symbol' }),
  }),
  failures: { 404: 'No active, ranked coin has the symbol', ...registryUnavailable },
  example: { symbol: 'btc' },
});
