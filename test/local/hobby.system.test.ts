import { mkdtempSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { synthesize } from '../../local/prepare.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';

/** What the API of a stage without a distribution answers, which has the page's files too. */
describe('stage hobby', () => {
  let service: LocalService;
  beforeAll(async () => {
    const assembly = mkdtempSync(join(inject('runFolder'), 'hobby-'));
    await synthesize('hobby', assembly);
    service = await startLocalService({ assembly, quiet: true, provider: { mode: 'simulated' } });
  }, 120_000);
  afterAll(() => service.close());

  /** Without the decoding that fetch does. */
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

  test('has the HTML of a coin, the reference, its description, and a page for what is missing', async () => {
    const html = { accept: 'text/html' };
    expect((await get('/coins/btc-bitcoin', html)).body.toString()).toContain('<title>Bitcoin (BTC)');
    expect((await get('/docs', html)).status).toBe(200);
    expect(JSON.parse((await get('/openapi.json')).body.toString())).toHaveProperty('openapi');
    const missing = await get('/nothing/../../../package.json', html);
    expect(missing.status).toBe(404);
    expect(missing.body.toString()).toContain('Not found');
  });

  test('answers the API in its envelope, what is unknown below /api too', async () => {
    const ticker = await get('/api/marketdata/ticker/btc-bitcoin');
    expect(JSON.parse(ticker.body.toString())).toMatchObject({ success: true, data: { symbol: 'BTC' } });
    for (const [method, status] of [
      ['GET', 404],
      ['POST', 404],
    ] as const) {
      const answer = await get('/api/marketdata/tickr/btc-bitcoin', {}, method);
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ success: false });
    }
    const wrong = await get('/api/marketdata/ticker/btc-bitcoin', {}, 'POST');
    expect(wrong.status).toBe(405);
  });
});
