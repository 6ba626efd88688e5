/** What web pages of other origins may send and read, as the routes say. */
import { KEY_HEADERS } from './client-key.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';
import type { RouteDefinition } from './route.ts';

type PublicRoute = Pick<RouteDefinition, 'method' | 'responseHeaders' | 'idempotent' | 'unreadHeaders'>;

/**
 * Response headers of every route that web pages may read, besides those that a route documents. The last three show the age of a
 * response in any cache.
 */
const commonHeaders = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Date',
  'Age',
  'X-Cache',
];

const methodsWith = { GET: ['GET', 'HEAD'], POST: ['POST'], ANY: [] } as const;

/** Methods and headers that preflights allow, and response headers that pages may read. */
export function crossOrigin(routes: readonly PublicRoute[]) {
  const exposed = [...commonHeaders, ...routes.flatMap((route) => Object.keys(route.responseHeaders ?? {}))];
  return {
    methods: [...new Set(routes.flatMap(({ method }) => methodsWith[method]))],
    allowedHeaders: [
      'content-type',
      ...KEY_HEADERS,
      ...(routes.some(({ idempotent }) => idempotent) ? [IDEMPOTENCY_HEADER] : []),
      ...routes.flatMap(({ unreadHeaders = [] }) => unreadHeaders),
    ],
    exposedHeaders: [...new Set(exposed)],
  };
}
