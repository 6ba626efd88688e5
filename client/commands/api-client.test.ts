import { describe, expect, test } from 'vitest';
import { route as coin } from '../../functions/marketdata/coin/route.ts';
import { route as ohlcv } from '../../functions/marketdata/ohlcv/route.ts';
import { route as resolve } from '../../functions/marketdata/resolve/route.ts';
import { route as search } from '../../functions/marketdata/search/route.ts';
import { route as ticker } from '../../functions/marketdata/ticker/route.ts';
import { entry } from '../../test/client/stub-api.ts';
import { createApi } from './api-client.ts';
import { paths } from './contracts.ts';
import { intervals, maxCandles, maxMatches, quotes } from './parse/table.ts';

const NOW = Date.UTC(2026, 0, 31, 12, 0, 0);

/** A client whose requests all get this answer; `requests` fills with what was sent. */
function clientOf(body: string, init: ResponseInit = {}, apiKey?: string) {
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  const api = createApi({
    baseUrl: 'http://service',
    fetch: async (url, sent) => {
      requests.push({ url: String(url), init: sent });
      return new Response(body, init);
    },
    apiKey: () => apiKey,
    now: () => NOW,
  });
  return { api, requests };
}

const success = JSON.stringify({ success: true, data: entry() });

describe('what the client knows of the routes', () => {
  test('paths are those of the routes', () => {
    const routes = { coin, ohlcv, resolve, search, ticker };
    expect(paths).toEqual(Object.fromEntries(Object.entries(routes).map(([name, { path }]) => [name, path])));
  });

  test('the options allow what the routes allow', () => {
    const { interval, limit, quote } = ohlcv.query?.properties ?? {};
    expect(interval).toMatchObject({ enum: intervals });
    expect(quote).toMatchObject({ enum: quotes });
    expect(limit).toMatchObject({ minimum: 1, maximum: maxCandles });
    expect(search.query?.properties.limit).toMatchObject({ minimum: 1, maximum: maxMatches });
  });
});

describe('a request', () => {
  test.each([
    ['btc-bitcoin', '/api/marketdata/coins/btc-bitcoin'],
    ['toto-totoro-inu-?', '/api/marketdata/coins/toto-totoro-inu-%3F'],
    ['战旗-战旗', '/api/marketdata/coins/%E6%88%98%E6%97%97-%E6%88%98%E6%97%97'],
    ['a/b$&c', '/api/marketdata/coins/a%2Fb%24%26c'],
  ])('carries the id %s in its path', async (id, path) => {
    const { api, requests } = clientOf(success);
    await api.get('coin', { id });
    expect(requests.map(({ url }) => url)).toEqual([`http://service${path}`]);
  });

  test('carries what is given in its query, and nothing else', async () => {
    const { api, requests } = clientOf(success);
    await api.get('ohlcv', { id: 'x', limit: 7, start: undefined, end: '2026-01-31T12:00:00+01:00' });
    expect(requests[0]?.url).toBe(
      'http://service/api/marketdata/ohlcv/x?limit=7&end=2026-01-31T12%3A00%3A00%2B01%3A00',
    );
  });

  test('carries the key only where there is one', async () => {
    const withKey = clientOf(success, {}, 'secret');
    const without = clientOf(success);
    await withKey.api.get('coin', { id: 'x' });
    await without.api.get('coin', { id: 'x' });
    expect(withKey.requests[0]?.init?.headers).toEqual({ accept: 'application/json', 'x-api-key': 'secret' });
    expect(without.requests[0]?.init?.headers).toEqual({ accept: 'application/json' });
  });
});

describe('an answer', () => {
  test('gives its data and headers', async () => {
    const { api } = clientOf(success, { headers: { 'X-Data-Source': 'simulated' } });
    const { data, header } = await api.get('coin', { id: 'btc-bitcoin' });
    expect(data).toEqual(entry());
    expect([header('x-data-source'), header('age')]).toEqual(['simulated', undefined]);
  });

  test.each([
    ['42', 42],
    ['Sat, 31 Jan 2026 12:01:30 GMT', 90],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
    ['soon', undefined],
  ])('of 429 with Retry-After %s says how long to wait', async (retryAfter, retryAfterSeconds) => {
    const body = JSON.stringify({ success: false, error: 'Rate limit exceeded' });
    const { api } = clientOf(body, { status: 429, headers: { 'retry-after': retryAfter } });
    await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({
      status: 429,
      message: 'Rate limit exceeded',
      isAnswer: true,
      retryAfterSeconds,
    });
  });

  test('of another server is told apart from one of the service', async () => {
    const { api } = clientOf('<h1>Not found</h1>', { status: 404, headers: { 'content-type': 'text/html' } });
    await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({
      status: 404,
      isAnswer: false,
      message: 'http://service does not answer as the market-data API does (HTTP 404, text/html)',
    });
  });

  test.each(['null', '[]', '{"success":true}', '{"success":false}', '{"message":"Forbidden"}'])(
    'without the envelope is one of another server: %s',
    async (body) => {
      const { api } = clientOf(body);
      await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({ isAnswer: false });
    },
  );

  test("of API Gateway's own throttling is a rate limit too", async () => {
    const { api } = clientOf('{"message":"Too Many Requests"}', { status: 429 });
    await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({ message: 'Rate limit exceeded' });
  });

  test('of a service that has no such route yet is no word about a coin', async () => {
    const body = JSON.stringify({ success: false, error: 'No such route: GET /api/marketdata/coins/x' });
    const { api } = clientOf(body, { status: 404 });
    await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({ status: 404, isAnswer: false });
  });
});

describe('no answer', () => {
  test('tells the reason that fetch hides', async () => {
    const refused = [new Error('connect ECONNREFUSED ::1:1'), new Error('connect ECONNREFUSED 127.0.0.1:1')];
    const api = createApi({
      baseUrl: '',
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError(refused) })),
    });
    await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({
      status: undefined,
      message: 'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  test('in time is said with the time waited', async () => {
    const api = createApi({
      baseUrl: '',
      timeoutMs: 20,
      fetch: (_url, init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
    });
    await expect(api.get('coin', { id: 'x' })).rejects.toMatchObject({ message: 'no answer within 0.02 s' });
  });
});
