import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { NOW } from './asking.testing.ts';
import { parseFault } from './faults.ts';
import { type SimulatedOptions, startSimulated } from './index.ts';
import { lieNames } from './lies.ts';
import { sourceNames } from './protocols.ts';

async function startForTest(options: SimulatedOptions = {}) {
  const simulated = await startSimulated({ now: () => NOW, ...options });
  onTestFinished(() => simulated.close());
  return simulated;
}

test('a text is a kind, a value, a number of requests and a part of the path', () => {
  const lies = lieNames('coins');
  const fault = (text: string) => parseFault(text, lies);
  expect(fault('status=503x1@/tickers')).toEqual({
    kind: 'status',
    value: '503',
    times: 1,
    path: '/tickers',
  });
  expect(fault('latency=2s')).toEqual({ kind: 'latency', value: '2s', times: Infinity, path: '' });
  expect(fault('html@?start=')).toEqual({ kind: 'html', value: '403', times: Infinity, path: '?start=' });
  expect(fault('lie=scaledx2')).toEqual({ kind: 'lie', value: 'scaled', times: 2, path: '' });
});

test.each([
  ...['explode', 'status', 'status=200', 'latency=soon', 'hang=1', 'redirect', 'emptyx0', 'drop@', ''],
  ...['lie', 'lie=', 'lie=white', 'redirect=another'],
])('the text "%s" is refused with what is allowed', (text) => {
  expect(() => parseFault(text, lieNames('coins'))).toThrow(
    /Bad fault .*latency=2s, status=503, limit, hang, .*wrongshape, lie=identity\|noprice\|.*\|unranked;/,
  );
});

test('a text that is bad starts nothing, and so does a port that is taken', async () => {
  await expect(startSimulated({ faults: { kraken: 'explode' } })).rejects.toThrow('Bad fault "explode"');
  const port = Number(new URL((await startForTest()).provider.url).port);
  await expect(startSimulated({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

/** A request under a fault as its client sees it: status, body and milliseconds, or the error's name. */
async function underFault(fault: string, { path = '/tickers/btc-bitcoin', timeoutMs = 15_000 } = {}) {
  const { provider } = await startForTest({ faults: { coinpaprika: fault } });
  const begin = performance.now();
  const ms = () => performance.now() - begin;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(provider.url + path, { redirect: 'manual', signal });
    const body = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), body, ms: ms() };
  } catch (error) {
    return { failed: error instanceof Error ? error.name : 'unknown', ms: ms() };
  }
}

test.each([
  ['status=503', { status: 503, body: '{"error":"Service Unavailable"}' }],
  ['status=429', { status: 429, body: '{"error":"you have reached maximum request limit"}' }],
  ['limit', { status: 402, body: '', headers: { 'cache-control': expect.stringContaining('max-age=60') } }],
  ['garbage', { status: 200, body: expect.not.stringMatching(/\}$/) }],
  ['html', { status: 403, body: expect.stringContaining('<html>') }],
  ['html=200', { status: 200, headers: { 'content-type': expect.stringContaining('text/html') } }],
  ['empty', { status: 200, body: '' }],
  ['wrongshape', { status: 200, body: '{"result":{"rows":[]},"status":"ok"}' }],
  ['drop', { failed: 'TypeError' }],
  ['truncate', { failed: 'TypeError' }],
  ['redirect=self', { status: 302, headers: { location: '/coinpaprika/v1/tickers/btc-bitcoin' } }],
  [
    'redirect=elsewhere',
    { headers: { location: 'http://elsewhere.invalid/coinpaprika/v1/tickers/btc-bitcoin' } },
  ],
  ['redirect=other', { headers: { location: '/coinpaprika/v1/tickers/eth-ethereum' } }],
])('%s is what a client sees', async (fault, expected) => {
  expect(await underFault(fault)).toMatchObject(expected);
});

test('latency delays, drip sends byte by byte, hang never answers, and huge has more than 8 MB', async () => {
  const late = await underFault('latency=300ms');
  expect([late.status, late.ms >= 290]).toEqual([200, true]);
  expect(await underFault('drip=1ms', { path: '/tickers/none' })).toMatchObject({
    body: '{"error":"id not found"}',
  });
  for (const fault of ['hang', 'drip=50ms'])
    expect(await underFault(fault, { timeoutMs: 200 })).toMatchObject({ failed: 'TimeoutError' });
  const { body = '' } = await underFault('huge');
  expect([body.length > 8 * 1024 * 1024, JSON.parse(body).length]).toEqual([true, 120_000]);
});

test.each(['coinpaprika', 'binance'] as const)(
  '%s fails on demand, from this process and another, and counts its calls',
  async (name) => {
    const { [name]: source } = await startForTest({ faults: { [name]: 'status=503x2@/x' } });
    const isDown = async (path = '/x') => (await fetch(source.url + path)).status === 503;
    expect([await isDown('/y'), await isDown(), await isDown(), await isDown()]).toEqual([
      false,
      true,
      true,
      false,
    ]);
    source.setFault('drop');
    await expect(isDown()).rejects.toThrow('fetch failed');
    const post = (body: string) => fetch(`${source.url}/__fault`, { method: 'POST', body });
    expect([(await post('status=503')).status, await isDown()]).toEqual([204, true]);
    expect([(await post('')).status, await isDown()]).toEqual([204, false]);
    const bad = await post('explode');
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('Allowed: latency=2s')]);
    const calls = { total: 7, byPath: { '/y': 1, '/x': 6 } };
    expect([source.calls.total, source.calls.byPath]).toEqual([7, calls.byPath]);
    expect(await (await fetch(`${source.url}/__calls`)).json()).toEqual(calls);
    source.calls.reset();
    expect(source.calls.total).toBe(0);
  },
);

test.each([false, true])(
  'answers say that they are simulated, unless they count as genuine (%s)',
  async (genuine) => {
    const simulated = await startForTest({ genuine });
    for (const name of sourceNames) {
      const { url } = simulated[name];
      expect((await fetch(`${url}/x`)).headers.get('x-data-source')).toBe(genuine ? null : 'simulated');
      expect((await fetch(`${url}/x`, { method: 'POST' })).status).toBe(405);
    }
  },
);

test('answers are compressed where the client takes gzip, and only there', async () => {
  const { provider } = await startForTest();
  const encodingOf = (accepted: string) =>
    new Promise((resolve, reject) => {
      request(`${provider.url}/coins`, { headers: { 'Accept-Encoding': accepted } }, (response) => {
        response.resume();
        resolve(response.headers['content-encoding']);
      })
        .on('error', reject)
        .end();
    });
  expect([await encodingOf('gzip, deflate'), await encodingOf('identity')]).toEqual(['gzip', undefined]);
});
