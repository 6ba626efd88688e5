import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectFailure, KEY, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const through = (viewer: string) => ({
  'x-api-key': KEY,
  'x-origin-secret': 'origin-secret',
  'cloudfront-viewer-address': viewer,
});

let service: Service;
beforeAll(async () => {
  const env = {
    NODE_ENV: 'production',
    CLIENT_API_KEY: KEY,
    ORIGIN_SECRET: 'origin-secret',
    ORIGIN_SECRET_ALTERNATE: 'alternate-secret',
  };
  service = await startService({ env });
});
afterAll(() => service.local.close());

it('answers over HTTP only what comes through the distribution', async () => {
  expectFailure(await service.get(TICKER, { headers: { 'x-api-key': KEY } }), 403, 'Forbidden');
  expectFailure(await service.get('/x', { headers: { 'x-api-key': KEY } }), 403, 'Forbidden');
  expectFailure(
    await service.get(TICKER, { headers: { ...through('203.0.113.1:1'), 'x-origin-secret': 'wrong' } }),
    403,
    'Forbidden',
  );
  expect((await service.get(TICKER, { headers: through('203.0.113.1:1') })).status).toBe(200);
});

it('takes either of the two secrets, so that the distribution can change from one to the other', async () => {
  const headers = { ...through('203.0.113.2:1'), 'x-origin-secret': 'alternate-secret' };
  expect((await service.get(TICKER, { headers })).status).toBe(200);
});

it('limits each caller of the distribution, and none for what another did', async () => {
  for (let n = 0; n < 100; n += 1) await service.get(TICKER, { headers: through(`203.0.113.7:${n}`) });

  const refused = await service.get(TICKER, { headers: through('203.0.113.7:40000') });
  expectFailure(refused, 429, /^Rate limit exceeded: this client's, 100 requests a minute; /);
  expect((await service.get(TICKER, { headers: through('203.0.113.8:1') })).status).toBe(200);
});

it('answers without a distribution where no secret is configured, and believes no header then', async () => {
  const direct = await startService({ env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY } });
  try {
    const remaining = [];
    for (const viewer of ['203.0.113.1:1', '203.0.113.2:1']) {
      const { status, headers } = await direct.get(TICKER, { headers: through(viewer) });
      expect(status).toBe(200);
      remaining.push(headers['ratelimit-remaining']);
    }
    expect(remaining).toEqual(['99', '98']);
  } finally {
    await direct.local.close();
  }
});
