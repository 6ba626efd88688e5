import Type from 'typebox';
import { defineRoute, withDefault } from '../../../shared/http/route.ts';
import { tickerQualities } from '../../../shared/marketdata/provenance.ts';
import { sorts } from '../../../shared/marketdata/serve/list.ts';
import { coinIds, MAX_COINS, marketDataHeaders } from '../contract.ts';
import { route as ticker } from '../ticker/route.ts';

/** The largest page of the list. */
const MAX_PAGE = 250;

const asked = Type.Optional(Type.String({ description: 'The requested symbol' }));

const item = Type.Object({
  asked,
  id: Type.String(),
  ticker: ticker.response,
  quality: Type.Enum([...tickerQualities], {
    description: 'exact, disputed or stale, as in `x-data-quality`',
  }),
  source: Type.String({ description: 'Its source' }),
  dataTime: Type.String({ description: 'When the provider made it: ISO 8601, UTC' }),
});

const miss = Type.Object({
  asked,
  id: Type.Optional(Type.String({ description: 'Absent only for an unknown symbol' })),
  error: Type.String({ description: 'Why there is no ticker, and how to get one' }),
});

const ofTheList = 'of the list, without `ids` and `symbols`';

export const route = defineRoute({
  name: 'marketdata/tickers',
  method: 'GET',
  path: '/api/marketdata/tickers',
  summary: 'Current prices and market figures of up to 100 coins, or of all listed coins page by page',
  description:
    'Uses stored data and makes no upstream calls. Named coins are returned in the order of the request, also if named twice; a comma always separates, and a `+` is `%2B`. A coin outside the ticker snapshot has its price by contract, or the last ticker that was fetched for a caller, up to twelve hours old. An unknown coin or one without a stored ticker is an item with `error`, and the others are returned. Without names: the coins of the ticker snapshot in the order of `sort`, best first, unknown values last, ties by rank and then id. A page begins after the figures at the end of the page before, so coins with unchanged figures are returned exactly once, even if a newer snapshot is published in between.',
  limit: 'read',
  query: Type.Object({
    ids: coinIds,
    symbols: Type.Optional(
      Type.Array(Type.String({ pattern: '\\S', description: 'a symbol such as BTC' }), {
        minItems: 1,
        maxItems: MAX_COINS,
        description: 'Symbols such as BTC, instead of ids',
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
      Type.String({ minLength: 1, maxLength: 8192, description: 'nextCursor of the previous page' }),
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
      Type.Union([Type.String(), Type.Null()], { description: 'Only for the list; null on its last page' }),
    ),
  }),
  responseHeaders: {
    'x-data-source': `${marketDataHeaders['x-data-source']}. All of them; absent, like the next two, if there is no ticker in the response`,
    'x-data-quality': 'The weakest in the response: `exact`, `disputed` or `stale`',
    'x-data-time': 'When the oldest of the tickers was made: RFC 3339, UTC',
    'cache-control':
      'Caches may serve the response for `max-age` seconds, and no longer when the service fails: until its first ticker is out of date; 0 if one is stale',
  },
  failures: { 503: 'The coin registry (for symbols) or a list of tickers (for pages) is not available' },
  environment: ['REGISTRY_PATH', 'STALE_WAIT_MS', 'TICKER_FRESH_SECONDS'],
  registry: true,
  snapshot: true,
  history: true,
  example: { ids: ['btc-bitcoin', 'eth-ethereum'] },
  maxInitBytes: 78_300,
  memoryMb: 512,
  timeoutSeconds: 10,
  maxConcurrency: 10,
});
