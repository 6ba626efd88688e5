import { afterEach, expect, it } from 'vitest';
import { expectFailure, KEY, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
let service: Service;

afterEach(() => service.local.close());

it('refuses the 101st request of a minute, whatever address its headers claim', async () => {
  service = await startService();

  for (let n = 1; n <= 100; n += 1) {
    const { status, headers } = await service.get(TICKER, { headers: { 'x-forwarded-for': `10.0.0.${n}` } });
    expect([status, headers['ratelimit-limit'], headers['ratelimit-remaining']]).toEqual([
      200,
      '100',
      `${100 - n}`,
    ]);
  }
  const refused = await service.get(TICKER, { headers: { 'x-forwarded-for': '10.9.9.9' } });

  expectFailure(refused, 429, CLIENTS);
  const { 'retry-after': retryAfter, 'ratelimit-reset': reset } = refused.headers;
  expect(retryAfter).toBe(reset);
  expect(Number(retryAfter)).toBeGreaterThan(0);
  expect(Number(retryAfter)).toBeLessThanOrEqual(60);
});

const CLIENTS = /^Rate limit exceeded: this client's, 100 requests a minute; try again in \d+ s$/;

it('limits before it validates, and counts each route by itself', async () => {
  service = await startService();

  await Promise.all(
    Array.from({ length: 100 }, () => service.get('/api/marketdata/ohlcv/btc-bitcoin?limit=x')),
  );

  expectFailure(await service.get('/api/marketdata/ohlcv/btc-bitcoin?limit=x'), 429, CLIENTS);
  expect((await service.get(TICKER)).status).toBe(200);
});

it('does not count requests without a key', async () => {
  service = await startService({ env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY } });

  for (let n = 0; n < 110; n += 1) await service.get(TICKER);

  const { status, headers } = await service.get(TICKER, { headers: { 'x-api-key': KEY } });
  expect([status, headers['ratelimit-remaining']]).toEqual([200, '99']);
});
