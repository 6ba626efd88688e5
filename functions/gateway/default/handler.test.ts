import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { call, failure, keyed, refusalHeaders } from '../../../test/pipeline/event.ts';

let handler: LambdaHandler;
beforeEach(async () => {
  vi.stubEnv('NODE_ENV', 'test');
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
});
afterEach(() => vi.unstubAllEnvs());

describe('a request that no route takes', () => {
  it.each([
    ['GET', '/', 404, 'No such route: GET /', {}],
    ['POST', '/api/marketdata/ticker', 404, 'No such route: POST /api/marketdata/ticker', {}],
    [
      'PUT',
      '/api/marketdata/ohlcv/战旗-战旗',
      405,
      'Method not allowed: PUT /api/marketdata/ohlcv/战旗-战旗; allowed: GET, HEAD',
      { allow: 'GET, HEAD' },
    ],
    ['GET', '/api/marketdata/ticker/', 400, 'Missing parameter: id', {}],
  ])('is refused by what the table of routes has: %s %s', async (method, path, status, error, headers) => {
    expect(await call(handler, { method, path, query: 'interva=7d' })).toEqual({
      status,
      headers: { ...refusalHeaders(100), ...headers },
      body: failure(error),
    });
  });

  it('learns nothing without the key in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'right');

    expect(await call(handler, { path: '/x' })).toEqual({
      status: 401,
      headers: { ...refusalHeaders(100, 100), ...keyed },
      body: failure('Unauthorized'),
    });
  });
});
