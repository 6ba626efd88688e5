import { afterEach, expect, it, vi } from 'vitest';
import { KEY, type Service, startService } from './service.ts';

let service: Service | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await service?.local.close();
});

it('the probe takes what the service answers for good, and its failures for failures', async () => {
  // It asks as a web page of another origin each time, which no cache has an answer for.
  service = await startService({ env: { NODE_ENV: 'production', CLIENT_API_KEY: KEY, CORS_ORIGINS: '*' } });
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
