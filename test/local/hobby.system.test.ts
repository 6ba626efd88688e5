import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stageConfig } from '../../infra/config.ts';
import { MarketDataStack } from '../../infra/stack.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { newApp } from '../infra/synthesized.ts';

/** A stage without a distribution, whose API serves the page's files too. */
describe('stage hobby', () => {
  let service: LocalService;
  beforeAll(async () => {
    const app = newApp();
    new MarketDataStack(app, 'marketdata-hobby', { stage: 'hobby', config: stageConfig('hobby') });
    const { directory: assembly } = app.synth();
    service = await startLocalService({ assembly, quiet: true, provider: { mode: 'simulated' } });
  }, 120_000);
  afterAll(() => service.close());

  /** Requests a path without the decoding that fetch does. */
  function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
      (resolve, reject) => {
        const sent = request(`${service.url}${path}`, { headers, method }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(parts),
            }),
          );
        });
        sent.on('error', reject).end();
      },
    );
  }

  test('serves the page and its files, compressed where that is accepted', async () => {
    const page = await get('/', { accept: 'text/html' });
    expect(page).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    });
    const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(page.body.toString()) ?? [];
    expect(script).toMatch(/^\/assets\/.+\.js$/);

    const plain = await get(script);
    const small = await get(script, { 'accept-encoding': 'gzip, br' });
    expect(small).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'content-encoding': 'gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      },
    });
    expect(gunzipSync(small.body).equals(plain.body)).toBe(true);
    expect(small.body.length).toBeLessThan(plain.body.length / 2);
    expect(await get(script, {}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  test('has the HTML of a coin, the reference, its description, a page for unknown paths, and the API', async () => {
    const html = { accept: 'text/html' };
    expect((await get('/coins/btc-bitcoin', html)).body.toString()).toContain('<title>Bitcoin (BTC)');
    expect((await get('/docs', html)).status).toBe(200);
    expect(JSON.parse((await get('/openapi.json')).body.toString())).toHaveProperty('openapi');
    const missing = await get('/nothing/../../../package.json', html);
    expect(missing.status).toBe(404);
    expect(missing.body.toString()).toContain('Not found');
    const ticker = await get('/api/marketdata/ticker/btc-bitcoin');
    expect(JSON.parse(ticker.body.toString())).toMatchObject({ success: true, data: { symbol: 'BTC' } });
    for (const [method, path, status] of [
      ['GET', 'tickr', 404],
      ['POST', 'tickr', 404],
      ['POST', 'ticker', 405],
    ] as const) {
      const refused = await get(`/api/marketdata/${path}/btc-bitcoin`, {}, method);
      expect(refused.status).toBe(status);
      expect(JSON.parse(refused.body.toString())).toMatchObject({ success: false });
    }
  });
});
