import Type from 'typebox';
import type { HttpResult } from '../../../shared/http/middleware/pipeline-request.ts';
import { defineRoute } from '../../../shared/http/route.ts';
import { marketDataAdapter, marketDataHeaders } from '../../../shared/providers/contract.ts';
import { failure, routes } from '../routes.ts';

export const route = defineRoute({
  ...marketDataAdapter,
  name: 'coingecko/api',
  path: '/coingecko/api/v3/{path+}',
  summary: 'Market data in the shapes of CoinGecko’s API v3',
  adapter: { routes, failure },
  response: Type.Unsafe<HttpResult>(Type.Object({}, { description: 'CoinGecko’s response' })),
  // The official SDK sends these headers; they describe its machine.
  unreadHeaders: 'lang package-version os arch runtime runtime-version retry-count timeout'
    .split(' ')
    .map((name) => `x-stainless-${name}`),
  responseHeaders: {
    ...marketDataHeaders,
    'x-ratelimit-limit': 'As `RateLimit-Limit`',
    'x-ratelimit-remaining': 'As `RateLimit-Remaining`',
    'x-ratelimit-reset': 'When the window ends: `2026-01-31 12:00:00 +0000`',
  },
  failures: {
    400: 'The currency is unknown, or a parameter is malformed',
    404: 'The coin or the platform is unknown, or there is no such route',
    405: 'Neither GET nor HEAD',
    422: 'A parameter is missing, or a list is too long',
    502: 'The provider is unreachable, or returns unusable data',
    503: 'No list of tickers or no coin registry is available',
    504: 'The provider does not respond in time',
  },
  sources: true,
  maxInitBytes: 110_000,
  maxConcurrency: 20,
});
