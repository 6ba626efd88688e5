import { request } from 'node:http';
import { expect, test } from 'vitest';
import { wellKnownCoins } from '../../registry-layer/simulated/well-known.ts';
import { startSimulatedProvider } from './index.ts';
import { getJson, NOW, startForTest } from './provider.testing.ts';

test('lists the well-known coins and the odd ids in the shape of the provider', async () => {
  const coins = await getJson<{ id: string }[]>(await startForTest(), '/coins');
  expect(coins[0]).toEqual({
    id: 'btc-bitcoin',
    name: 'Bitcoin',
    symbol: 'BTC',
    rank: 1,
    is_new: false,
    is_active: true,
    type: 'coin',
  });
  expect(coins).toHaveLength(wellKnownCoins.length + 6);
});

test.each(['-doggotothemoon', 'xch-chia-', 'mobilecoin', 'bork-bork-SOL', 'toto-totoro-inu-?', '战旗-战旗'])(
  'knows the odd id %s, percent-encoded',
  async (id) => {
    const provider = await startForTest();
    const encoded = encodeURIComponent(id);
    expect(await getJson(provider, `/coins/${encoded}`)).toMatchObject({ id, is_active: true });
    expect(await getJson(provider, `/tickers/${encoded}`)).toMatchObject({ id });
    expect(await getJson(provider, `/coins/${encoded}/ohlcv/today`)).toHaveLength(1);
  },
);

test.each(['/tickers/no-such-coin', '/coins/no-such-coin', '/coins/x/ohlcv/historical', '/tickers/%E0%A4%A'])(
  'answers 404 in JSON to the unknown id of %s',
  async (path) => {
    const response = await fetch((await startForTest()).url + path);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('{"error":"id not found"}');
  },
);

test('keeps the entry of an inactive coin, without prices', async () => {
  const dead = { id: 'x-dead', name: 'X', symbol: 'X', rank: 0, is_active: false, type: 'token' } as const;
  const provider = await startForTest({ coins: [dead] });
  expect(await getJson(provider, '/coins/x-dead')).toMatchObject({ is_active: false });
  expect(await getJson(provider, '/tickers')).toEqual([]);
  expect((await fetch(`${provider.url}/tickers/x-dead`)).status).toBe(404);
});

test.each(['/nothing', '/coins/btc-bitcoin/ohlcv', '/nothing/', '/exchanges'])(
  'answers 404 in plain text to the unknown route %s',
  async (path) => {
    const response = await fetch((await startForTest()).url + path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('404 page not found');
  },
);

test('redirects a trailing slash with an HTML body, cacheable', async () => {
  const provider = await startForTest();
  const response = await fetch(
    `${provider.url}/coins/btc-bitcoin/ohlcv/historical/?start=2026-01-01&limit=2`,
    {
      redirect: 'manual',
    },
  );
  expect(response.status).toBe(301);
  expect(response.headers.get('location')).toBe(
    '/v1/coins/btc-bitcoin/ohlcv/historical?start=2026-01-01&limit=2',
  );
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toContain('max-age=60');
  expect(await response.text()).toContain('<a href="/v1/coins/btc-bitcoin/ohlcv/historical?');
});

test('answers with the headers of the provider, and says that it is simulated', async () => {
  const provider = await startForTest();
  const { headers } = await fetch(`${provider.url}/tickers/btc-bitcoin`);
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'public, max-age=60, s-maxage=60, stale-while-revalidate=10, stale-if-error=600',
    'content-type': 'application/json; charset=UTF-8',
    server: 'cloudflare',
    vary: 'Accept-Encoding,Origin',
    'last-modified': 'Tue, 10 Mar 2026 16:42:00 GMT',
    age: '31',
    'x-data-source': 'simulated',
  });
  for (const path of ['/nothing', '/tickers/none', '/tickers/']) {
    const response = await fetch(provider.url + path, { redirect: 'manual' });
    expect(response.headers.get('x-data-source')).toBe('simulated');
  }
});

test('compresses where the client takes gzip, and only there', async () => {
  const provider = await startForTest();
  const encodingOf = (accepted: string) =>
    new Promise((resolve, reject) => {
      const options = { headers: { 'Accept-Encoding': accepted } };
      request(`${provider.url}/coins`, options, (response) => {
        response.resume();
        resolve(response.headers['content-encoding']);
      })
        .on('error', reject)
        .end();
    });
  expect(await encodingOf('gzip, deflate')).toBe('gzip');
  expect(await encodingOf('identity')).toBeUndefined();
  expect(await getJson(provider, '/coins')).toHaveLength(wellKnownCoins.length + 6);
});

test('answers 429 beyond the requests of a second, and goes on in the next', async () => {
  let now = NOW;
  const provider = await startForTest({ requestsPerSecond: 2, now: () => now });
  const status = async () => (await fetch(`${provider.url}/tickers/btc-bitcoin`)).status;
  expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
  const refused = await fetch(`${provider.url}/coins`);
  expect(await refused.json()).toEqual({ error: 'you have reached maximum request limit' });
  now += 1000;
  expect(await status()).toBe(200);
});

test('counts every call by its path and query, until reset', async () => {
  const provider = await startForTest();
  await fetch(`${provider.url}/tickers/btc-bitcoin?x=1`);
  await fetch(`${provider.url}/tickers/btc-bitcoin?x=1`);
  await fetch(`${provider.url}/tickers/none`);
  const expected = { total: 3, byPath: { '/v1/tickers/btc-bitcoin?x=1': 2, '/v1/tickers/none': 1 } };
  expect({ total: provider.calls.total, byPath: provider.calls.byPath }).toEqual(expected);
  const control = await fetch(`http://127.0.0.1:${provider.port}/__calls`);
  expect(await control.json()).toEqual(expected);
  provider.calls.reset();
  expect(provider.calls.total).toBe(0);
});

test('rejects when its port is taken', async () => {
  const { port } = await startForTest();
  await expect(startSimulatedProvider({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
