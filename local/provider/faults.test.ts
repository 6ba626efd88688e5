import { expect, test } from 'vitest';
import { parseFault } from './faults.ts';
import { lieNames } from './lies.ts';
import { startForTest } from './provider.testing.ts';

test('reads a kind, a value, a number of requests and a part of the path', () => {
  expect(parseFault('status=503x1@/tickers')).toEqual({
    kind: 'status',
    value: '503',
    times: 1,
    path: '/tickers',
  });
  expect(parseFault('latency=2s')).toEqual({ kind: 'latency', value: '2s', times: Infinity, path: '' });
  expect(parseFault('hangx12')).toEqual({ kind: 'hang', value: '', times: 12, path: '' });
  expect(parseFault('html@?start=')).toEqual({
    kind: 'html',
    value: '403',
    times: Infinity,
    path: '?start=',
  });
});

test.each([
  ...['explode', 'status', 'status=200', 'latency=soon', 'hang=1', 'redirect', 'emptyx0', 'drop@', ''],
  ...['lie', 'lie=', 'lie=white', 'redirect=another'],
])('refuses the text "%s" and lists what is allowed', (text) => {
  expect(() => parseFault(text)).toThrow(
    /Bad fault .*latency=2s, status=503, limit, hang, .*wrongshape, lie=identity\|noprice\|.*\|unranked;/,
  );
});

test('reads every lie, with its suffixes', () => {
  for (const value of lieNames) {
    const expected = { kind: 'lie', value, times: 2, path: '/tickers' };
    expect(parseFault(`lie=${value}x2@/tickers`)).toEqual(expected);
  }
});

/** A request under a fault as its client sees it: status, body and milliseconds, or the error's name. */
async function underFault(fault: string, { path = '/tickers/btc-bitcoin', timeoutMs = 15_000 } = {}) {
  const provider = await startForTest({ fault });
  const begin = performance.now();
  try {
    const response = await fetch(provider.url + path, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, ms: performance.now() - begin };
  } catch (error) {
    return { failed: error instanceof Error ? error.name : 'unknown', ms: performance.now() - begin };
  }
}

test('latency delays the proper answer', async () => {
  const seen = await underFault('latency=300ms');
  expect(seen).toMatchObject({ status: 200, body: expect.stringContaining('"id":"btc-bitcoin"') });
  expect(seen.ms).toBeGreaterThanOrEqual(290);
});

test('status answers that status in the provider’s error shape', async () => {
  expect(await underFault('status=503')).toMatchObject({
    status: 503,
    body: '{"error":"Service Unavailable"}',
  });
  expect(await underFault('status=429')).toMatchObject({
    status: 429,
    body: '{"error":"you have reached maximum request limit"}',
  });
});

test('limit is a 402 without a word, as cacheable as a 200', async () => {
  const seen = await underFault('limit');
  expect(seen).toMatchObject({ status: 402, body: '' });
  expect(seen.headers?.get('cache-control')).toContain('max-age=60');
});

test('hang never answers', async () => {
  expect(await underFault('hang', { timeoutMs: 200 })).toMatchObject({ failed: 'TimeoutError' });
});

test('garbage is a 200 whose JSON breaks off', async () => {
  const seen = await underFault('garbage');
  expect(seen.status).toBe(200);
  expect(() => JSON.parse(seen.body ?? '')).toThrow(SyntaxError);
});

test('html is a firewall page, 403 or 200', async () => {
  for (const [fault, status] of [
    ['html', 403],
    ['html=200', 200],
  ] as const) {
    const seen = await underFault(fault);
    expect(seen).toMatchObject({ status, body: expect.stringContaining('<html>') });
    expect(seen.headers?.get('content-type')).toContain('text/html');
  }
});

test('empty is a 200 without a body', async () => {
  expect(await underFault('empty')).toMatchObject({ status: 200, body: '' });
});

test('drop closes the connection without an answer, truncate in the middle of one', async () => {
  expect(await underFault('drop')).toMatchObject({ failed: 'TypeError' });
  expect(await underFault('truncate')).toMatchObject({ failed: 'TypeError' });
});

test('drip sends the proper answer byte by byte', async () => {
  const whole = await underFault('drip=1ms', { path: '/tickers/none' });
  expect(whole).toMatchObject({ status: 404, body: '{"error":"id not found"}' });
  expect(whole.ms).toBeGreaterThanOrEqual(20);
  expect(await underFault('drip=50ms', { timeoutMs: 200 })).toMatchObject({ failed: 'TimeoutError' });
});

test('redirect leads to the same URL or to a host that does not exist', async () => {
  const location = async (fault: string) => (await underFault(fault)).headers?.get('location');
  expect(await location('redirect=self')).toBe('/v1/tickers/btc-bitcoin');
  expect(await location('redirect=elsewhere')).toBe('http://elsewhere.invalid/v1/tickers/btc-bitcoin');
});

test('redirect=other leads to the same resource of another coin, and a list has none', async () => {
  const coins = ['a-a', 'b-dead', '战-?', 'c-c'].map((id, index) => ({
    ...{ id, name: id, symbol: id, rank: index + 1, type: 'token' as const },
    is_active: id !== 'b-dead',
  }));
  const provider = await startForTest({ coins, fault: 'redirect=other' });
  const location = async (path: string) =>
    (await fetch(provider.url + path, { redirect: 'manual' })).headers.get('location');
  expect(await location('/tickers/a-a')).toBe('/v1/tickers/%E6%88%98-%3F');
  expect(await location('/tickers/%E6%88%98-%3F')).toBe('/v1/tickers/c-c');
  expect(await location('/coins/c-c/ohlcv/historical?start=1')).toBe(
    '/v1/coins/a-a/ohlcv/historical?start=1',
  );
  expect([await location('/tickers'), await location('/coins'), await location('/tickers/none')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('huge is valid JSON of more than 8 MB', async () => {
  const { status, body = '' } = await underFault('huge');
  expect(status).toBe(200);
  expect(body.length).toBeGreaterThan(8 * 1024 * 1024);
  expect(JSON.parse(body)).toHaveLength(120_000);
});

test('wrongshape is valid JSON that no route promises', async () => {
  const seen = await underFault('wrongshape');
  expect(JSON.parse(seen.body ?? '')).toEqual({ result: { rows: [] }, status: 'ok' });
});

test('a fault befalls only the next N requests whose path and query match', async () => {
  const provider = await startForTest({ fault: 'status=500x2@/ohlcv/' });
  const status = async (path: string) => (await fetch(provider.url + path)).status;
  expect(await status('/tickers/btc-bitcoin')).toBe(200);
  const today = '/coins/btc-bitcoin/ohlcv/today';
  expect([await status(today), await status(today), await status(today)]).toEqual([500, 500, 200]);
  expect(provider.calls.total).toBe(4);
});

test('the fault changes at run time, from this process and from another', async () => {
  const provider = await startForTest();
  const status = async () => (await fetch(`${provider.url}/coins/btc-bitcoin`)).status;
  const post = (body: string) => fetch(`http://127.0.0.1:${provider.port}/__fault`, { method: 'POST', body });
  provider.setFault('status=502');
  expect(await status()).toBe(502);
  provider.setFault(null);
  expect(await status()).toBe(200);
  expect((await post('status=504')).status).toBe(204);
  expect(await status()).toBe(504);
  const bad = await post('explode');
  expect(bad.status).toBe(400);
  expect(await bad.text()).toContain('Allowed: latency=2s');
  expect((await post('')).status).toBe(204);
  expect(await status()).toBe(200);
});
