import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LambdaHandler } from '../../../shared/http/endpoint.ts';
import { call, failure, refusalHeaders } from '../../../test/pipeline/event.ts';

let handler: LambdaHandler;
beforeEach(async () => {
  vi.stubEnv('NODE_ENV', 'test');
  vi.resetModules();
  ({ handler } = await import('./handler.ts'));
});
afterEach(() => vi.unstubAllEnvs());

describe('a request that no route takes', () => {
  it.each([
    ['GET', '/x'],
    ['GET', '/'],
    ['GET', '/api/marketdata/ticker/a/b'],
    ['DELETE', '/api/marketdata/other'],
    ['POST', '/api/marketdata/ticker'],
    ['GET', '/API/marketdata/ticker/btc-bitcoin'],
  ])('is a 404 that names it: %s %s', async (method, path) => {
    expect(await call(handler, { method, path })).toEqual({
      status: 404,
      headers: refusalHeaders(100),
      body: failure(`No such route: ${method} ${path}`),
    });
  });

  it('is that whatever its query says', async () => {
    const { status } = await call(handler, { path: '/x', query: 'interva=7d' });
    expect(status).toBe(404);
  });

  it.each([
    ['POST', '/api/marketdata/ticker/btc-bitcoin'],
    ['DELETE', '/api/marketdata/ohlcv/btc-bitcoin'],
    ['PUT', '/api/marketdata/ohlcv/战旗-战旗'],
  ])('is a 405 with what is allowed where the path exists: %s %s', async (method, path) => {
    expect(await call(handler, { method, path })).toEqual({
      status: 405,
      headers: { ...refusalHeaders(100), allow: 'GET, HEAD' },
      body: failure(`Method not allowed: ${method} ${path}; allowed: GET, HEAD`),
    });
  });

  it.each([
    '/api/marketdata/ticker',
    '/api/marketdata/ticker/',
    '/api/marketdata/ohlcv',
    '/api/marketdata/ohlcv/',
  ])('is a 400 that names the parameter that the path lacks: %s', async (path) => {
    expect(await call(handler, { path })).toEqual({
      status: 400,
      headers: refusalHeaders(100),
      body: failure('Missing parameter: id'),
    });
  });

  it('learns nothing without the key in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('CLIENT_API_KEY', 'right');

    expect(await call(handler, { path: '/x' })).toEqual({
      status: 401,
      headers: refusalHeaders(100, 100),
      body: failure('Unauthorized'),
    });
  });
});
