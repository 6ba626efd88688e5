import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { tickerQualities } from '../../../shared/marketdata/provenance.ts';
import { sorts } from '../../../shared/marketdata/serve/list.ts';
import { coinIds, MAX_COINS, marketDataHeaders } from '../contract.ts';
import { route as ticker } from '../ticker/route.ts';

/** Most coins on a page of the list. */
const MAX_PAGE = 250;

const asked = Type.Optional(Type.String({ description: 'The symbol that was asked for' }));

const item = Type.Object({
  asked,
  id: Type.String(),
  ticker: ticker.response,
  quality: Type.Enum([...tickerQualities], {
    description: 'exact, disputed or stale, as `x-data-quality` has them',
  }),
  source: Type.String({ description: 'Who made it' }),
  dataTime: Type.String({ description: 'When the provider made it: ISO 8601, UTC' }),
});

const miss = Type.Object({
  asked,
  id: Type.Optional(
    Type.String({ description: 'Of a symbol that is known, and of what was asked for by id' }),
  ),
  error: Type.String({ description: 'Why there is no ticker, and how to get one' }),
});

const ofTheList = 'of the list, without `ids` and `symbols`';

export const route = defineRoute({
  name: 'marketdata/tickers',
  method: 'GET',
  path: '/api/marketdata/tickers',
  summary: 'Current prices and market figures of up to 100 coins, or of all listed coins page by page',
  description:
    'Answers from what is stored, and asks no provider. Coins that are named come in the order asked, each in its place as often as it is named; a comma always separates, and a `+` is `%2B`; one that is unknown or not at hand is an item with `error` and fails nothing. Without names: the coins of the ticker snapshot in the order of `sort`, best first, unknown values last, ties by rank and then id. A page begins after the figures that the page before ended with: coins whose figures stayed come once and none of them is left out, also when a newer snapshot was published meanwhile.',
  limit: 'read',
  query: Type.Object({
    ids: coinIds,
    symbols: Type.Optional(
      Type.Array(Type.String({ pattern: '\\S', description: 'a symbol such as BTC' }), {
        minItems: 1,
        maxItems: MAX_COINS,
        description: 'Symbols such as BTC, in place of ids',
      }),
    ),
    limit: withDefault(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE,
        default: 100,
        description: `Coins on a page ${ofTheList}`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 8192, description: 'nextCursor of the page before' }),
    ),
    sort: withDefault(
      Type.Enum([...sorts], {
        default: 'rank',
        description: `The order ${ofTheList}: rank, volume, change_24h`,
      }),
    ),
  }),
  response: Type.Object({
    count: Type.Integer({ description: 'Items in `results`' }),
    results: Type.Array(Type.Union([item, miss])),
    nextCursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: 'Of the list alone; null on its last page' }),
    ),
  }),
  responseHeaders: {
    'x-data-source': `${marketDataHeaders['x-data-source']}. All of them; absent, as the next two, if there is no ticker in the answer`,
    'x-data-quality': 'The weakest in the answer: `exact`, `disputed` or `stale`',
    'x-data-time': 'When the oldest of the tickers was made: RFC 3339, UTC',
    'cache-control':
      'Caches may give the answer for `max-age` seconds, and no longer when the service fails: until the first of its tickers is out of date; 0 if one is stale',
  },
  failures: { 503: 'The coin registry, for symbols, or a list of tickers, for pages, is not at hand' },
  environment: ['REGISTRY_PATH', 'STALE_WAIT_MS'],
  registry: true,
  snapshot: true,
  example: { ids: ['btc-bitcoin', 'eth-ethereum'] },
  maxInitBytes: 74_900,
  memoryMb: 512,
  timeoutSeconds: 10,
  maxConcurrency: 10,
});
