import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { coinType, registryRoute, registryUnavailable, relatedCoins } from '../contract.ts';

export const route = defineRoute({
  ...registryRoute,
  name: 'marketdata/resolve',
  method: 'GET',
  path: '/api/marketdata/resolve/{symbol}',
  summary: 'The coin that a symbol, an id or a name stands for',
  description:
    'A symbol stands for the active, ranked coin of the lowest rank; at equal rank a coin goes before a token. Symbols compare without regard to case and surrounding space. Any other text is looked up as an id, then as a symbol that a coin had before, or that its predecessor has (MATIC of POL), and then as a name. A text with a hyphen is an id first, and a name goes before the symbol of a far less known coin: `Bitcoin` is BTC. A coin that continues as another has a `successor`.',
  pathParameters: Type.Object({
    symbol: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'a symbol such as BTC, an id or a name',
    }),
  }),
  response: Type.Object({
    symbol: Type.String(),
    id: Type.String(),
    name: Type.String(),
    rank: Type.Integer({ description: 'The rank by market cap, from 1; 0: unranked' }),
    type: coinType,
    is_active: Type.Boolean({ description: 'Only a coin found by its id can be inactive' }),
    foundBy: Type.Enum(['symbol', 'id', 'formerSymbol', 'name'], {
      description: 'symbol, id, formerSymbol (its own or its predecessor’s) or name',
    }),
    alternatives: Type.Integer({
      description: 'The number of other active coins with the text as their symbol',
    }),
    isAmbiguous: Type.Boolean({ description: 'Whether the text probably means one of them' }),
    ...relatedCoins,
  }),
  failures: { 404: 'No coin has the symbol, the id or the name', ...registryUnavailable },
  example: { symbol: 'btc' },
});
