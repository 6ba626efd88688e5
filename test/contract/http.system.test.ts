/** The pipeline over HTTP, in processes behind the gateway. Its rules are tested in test/pipeline. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { route as valuation } from '../../functions/marketdata/valuation/route.ts';
import { exampleBody } from '../../scripts/generate/examples.ts';
import { oddIds } from '../money/world.ts';
import { post } from './post.ts';
import { dataOf, expectFailure, KEY, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const LIMIT = /^Rate limit exceeded: this client's, 100 requests a minute; try again in \d+ s$/;

describe('in development', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.local.close());

  it('a ticker comes in the envelope, with its source, quality and time', async () => {
    const answer = await service.get(TICKER);

    expect(dataOf(answer)).toMatchObject({ id: 'btc-bitcoin', symbol: 'BTC', quotes: { USD: {} } });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-data-source': 'simulated',
      'x-data-quality': 'exact',
      'cache-control': expect.stringMatching(/^public, max-age=[1-5]?\d, must-revalidate, stale-if-error=0$/),
      'x-data-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('percent-encoded odd ids are found', async () => {
    const listed = oddIds.filter((id) => id !== 'a b&c=%'); // no coin of the simulated list
    for (const id of listed)
      expect(dataOf(await service.get(`/api/marketdata/ticker/${encodeURIComponent(id)}`))).toMatchObject({
        id,
      });
  });

  it.each([
    ['GET', '/api/marketdata/ticker/', 400, 'Missing parameter: id'],
    ['GET', '/x', 404, 'No such route: GET /x'],
    ['POST', TICKER, 405, `Method not allowed: POST ${TICKER}; allowed: GET, HEAD`],
    ['GET', '/api/marketdata/ticker/bitcoin', 404, 'Unknown coin id: bitcoin. Did you mean btc-bitcoin?'],
    [
      'GET',
      '/api/marketdata/ohlcv/btc-bitcoin?limit=0&interval=5m',
      400,
      'Invalid parameter interval: "5m"; allowed: 1h, 24h, 7d, 14d, 30d, 90d, 365d; ' +
        'Invalid parameter limit: 0; allowed: an integer from 1 to 366',
    ],
  ])('%s %s is a %i with the reason', async (method, path, status, error) => {
    expectFailure(await service.get(path, { method }), status, error);
  });

  it('the 101st request of a minute to a route is refused before it is validated, regardless of its claimed address', async () => {
    const candles = '/api/marketdata/ohlcv/eth-ethereum?limit=x';
    const from = (n: number) => ({ headers: { 'x-forwarded-for': `10.0.0.${n}` } });
    const before = await service.get(candles);
    const left = Number(before.headers['ratelimit-remaining']);
    for (let n = 1; n <= left; n += 1)
      expect((await service.get(candles, from(n))).headers['ratelimit-remaining']).toBe(String(left - n));

    const refused = await service.get(candles, from(200));

    expectFailure(refused, 429, LIMIT);
    expect(refused.headers['retry-after']).toBe(refused.headers['ratelimit-reset']);
    expect((await service.get(TICKER)).status).toBe(200);
  });
});

describe('in production', () => {
  let service: Service;
  beforeAll(async () => {
    // The probe sends another origin each time, so that no cache has a response.
    service = await startService({
      store: true,
      env: { NODE_ENV: 'production', CORS_ORIGINS: '*', CLIENT_API_KEY: KEY },
    });
  });
  afterAll(() => service.local.close());

  it('the key is checked before anything else, and refused requests do not count', async () => {
    const url = service.local.url + valuation.path;
    for (let n = 0; n < 110; n += 1) expectFailure(await service.get(TICKER), 401, 'Unauthorized');
    expectFailure(await service.get('/api/marketdata/ohlcv/btc-bitcoin?limit=x'), 401, 'Unauthorized');
    expectFailure(await service.get('/x'), 401, 'Unauthorized');
    expectFailure(await post(url, 'nonsense'), 401, 'Unauthorized');

    const headers = { 'X-Api-Key': KEY };
    const ticker = await service.get(TICKER, { headers });
    expect(ticker.headers['ratelimit-remaining']).toBe('99');
    expect(ticker.headers['cache-control']).toMatch(/^public/);
    expect(ticker.headers.vary).toMatch(/^x-api-key, authorization, /);
    expect(await post(url, exampleBody(valuation), { headers })).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
    });
  });

  it('the probe reports no fault of good responses, and one for each failure', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PAGE_URL', `${service.local.url}/`);
    vi.stubEnv('CLIENT_API_KEY', KEY);
    vi.resetModules(); // a container of its own, with this environment
    const { handler } = await import('../../functions/marketdata/jobs/probe/handler.ts');

    expect(await handler()).toEqual({ faults: [] });
    vi.stubEnv('CLIENT_API_KEY', 'another key');
    expect(await handler()).toEqual({
      faults: [
        '/api/marketdata/ticker/btc-bitcoin answered 401: Unauthorized',
        '/api/marketdata/ohlcv/btc-bitcoin?limit=2 answered 401: Unauthorized',
      ],
    });
  });
});
