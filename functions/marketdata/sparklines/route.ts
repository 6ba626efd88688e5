import Type from 'typebox';
import { defineRoute } from '../../../shared/http/route.ts';
import { qualities } from '../../../shared/marketdata/provenance.ts';
import { DEFAULT_COINS, STEP_SECONDS } from '../../../shared/marketdata/serve/sparklines.ts';
import { coinIds, MAX_COINS, marketDataHeaders, noListFailure } from '../contract.ts';

const sparkline = Type.Object({
  id: Type.String(),
  prices: Type.Array(Type.Union([Type.Number(), Type.Null()]), {
    description: 'In USD, at the times of the grid, the current price last; null: unknown',
  }),
  quality: Type.Enum([...qualities], {
    description: 'The weakest of the points, as in `x-data-quality`',
  }),
  source: Type.String({ description: 'Their sources' }),
});

const noSparkline = Type.Object({
  id: Type.String(),
  error: Type.String({ description: 'Why there is no price at all' }),
});

export const route = defineRoute({
  name: 'marketdata/sparklines',
  method: 'GET',
  path: '/api/marketdata/sparklines',
  summary: 'A week of prices of up to 100 coins, a point every four hours, for small charts',
  description:
    'Uses stored data and makes no upstream calls. All coins have their points at the same times: the closes at multiples of four hours, UTC, of the seven days before the ticker snapshot, then the price now. An unknown point is null. Named coins are returned in the order of the request, also if named twice; an unknown coin or one without prices is an item with `error`, and the others are returned. Without names: the first coins of the snapshot by rank.',
  limit: 'read',
  query: Type.Object({
    ids: coinIds,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_COINS,
        description: `The number of coins by rank, instead of ids; ${DEFAULT_COINS} by default`,
      }),
    ),
  }),
  response: Type.Object({
    stepSeconds: Type.Integer({
      description: `Seconds between two points, except before the last one: ${STEP_SECONDS}`,
    }),
    from: Type.String({ description: 'Time of the first point: ISO 8601, UTC' }),
    to: Type.String({ description: 'Time of the last point, when the snapshot was taken: ISO 8601, UTC' }),
    coins: Type.Array(Type.Union([sparkline, noSparkline])),
  }),
  responseHeaders: {
    'x-data-source': `${marketDataHeaders['x-data-source']}. All of them; absent, like the next two, if there is no price in the response`,
    'x-data-quality':
      'The weakest in the response, in the order `exact`, `sampled`, `derived`, `disputed`, `stale`. `stale`: the snapshot is past its lifetime, or a part of the history could not be read',
    'x-data-time': 'When the newest price in the response was made: RFC 3339, UTC',
    'cache-control':
      'Caches may serve the response for `max-age` seconds, and no longer when the service fails: until the next snapshot is due; 0 if it is stale',
  },
  failures: noListFailure,
  environment: ['REGISTRY_PATH', 'STALE_WAIT_MS', 'TICKER_FRESH_SECONDS'],
  registry: true,
  snapshot: true,
  history: true,
  example: { limit: 2 },
  maxInitBytes: 82_300,
  memoryMb: 512,
  timeoutSeconds: 10,
  maxConcurrency: 5,
});
