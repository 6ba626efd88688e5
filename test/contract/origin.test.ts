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
  const env = { NODE_ENV: 'production', CLIENT_API_KEY: KEY, ORIGIN_SECRET: 'origin-secret' };
  service = await startService({ env });
});
afterAll(() => service.local.close());

it('answers over HTTP only what comes through the distribution', async () => {
  expectFailure(await service.get(TICKER, { headers: { 'x-api-key': KEY } }), 403, 'Forbidden');
  expectFailure(await service.get('/x', { headers: { 'x-api-key': KEY } }), 403, 'Forbidden');
  expect((await service.get(TICKER, { headers: through('203.0.113.1:1') })).status).toBe(200);
});

it('limits each caller of the distribution, and none for what another did', async () => {
  for (let n = 0; n < 100; n += 1) await service.get(TICKER, { headers: through(`203.0.113.7:${n}`) });

  const refused = await service.get(TICKER, { headers: through('203.0.113.7:40000') });
  expectFailure(refused, 429, 'Rate limit exceeded');
  expect((await service.get(TICKER, { headers: through('203.0.113.8:1') })).status).toBe(200);
});
