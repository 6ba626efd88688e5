import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { providerName } from '../provider-choice.ts';
import { NOW } from './asking.testing.ts';
import { readFaults } from './faults.ts';
import { type SimulatedOptions, startSimulated } from './index.ts';
import { sourceNames } from './protocols.ts';

async function startForTest(options: SimulatedOptions = {}) {
  const simulated = await startSimulated({ now: () => NOW, ...options });
  onTestFinished(() => simulated.close());
  return simulated;
}

test('a text has a source, the provider by default, a kind, a value, a count and a part of the path', () => {
  expect(
    readFaults(['latency=2s@/x:y', 'binance:status=451', 'kraken:lie=mixedtimesx2', 'ecb:html']),
  ).toEqual({
    [providerName]: { kind: 'latency', value: '2s', times: Infinity, path: '/x:y' },
    binance: { kind: 'status', value: '451', times: Infinity, path: '' },
    kraken: { kind: 'lie', value: 'mixedtimes', times: 2, path: '' },
    ecb: { kind: 'html', value: '403', times: Infinity, path: '' },
  });
});

test.each([
  ...['explode', 'status', 'status=200', 'latency=soon', 'hang=1', 'redirect', 'emptyx0', 'drop@'],
  ...['lie', 'lie=white', 'redirect=another', 'rename=btc-bitcoin', 'binance:', 'binance:lie=bigtext'],
])('the text "%s" is refused with what is allowed', (text) => {
  expect(() => readFaults([text])).toThrow(
    /Bad fault .*latency=2s, status=503, limit, hang, .*wrongshape, lie=\w+(\|\w+)+;/,
  );
});

test.each([
  [['krakn:limit'], `: ${providerName}, coinbase, kraken, binance, defillama, coingecko, ecb, frankfurter`],
  [['kraken:limit', 'binance:limit', 'kraken:hang'], 'Two faults of kraken: one at a time'],
  [['hang', `${providerName}:limit`], `Two faults of ${providerName}: one at a time`],
])('the texts %j are refused', (texts, problem) => {
  expect(() => readFaults(texts)).toThrow(problem);
});

test('a bad text starts nothing', async () => {
  await expect(startSimulated({ faults: { kraken: 'explode' } })).rejects.toThrow('Bad fault "explode"');
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

test('a coin has other names in tickers, and in the list of coins unless only tickers are meant', async () => {
  const { provider } = await startForTest();
  const namesIn = async (path: string) => {
    const data = (await (await fetch(provider.url + path)).json()) as object;
    const row = Array.isArray(data) ? data.find(({ id }) => id === 'btc-bitcoin') : data;
    return [row.symbol, row.name];
  };
  const all = () => Promise.all(['/tickers', '/tickers/btc-bitcoin', '/coins'].map(namesIn));
  const [before, after] = [
    ['BTC', 'Bitcoin'],
    ['XBT', 'Bit Coin'],
  ];
  provider.setFault('rename=btc-bitcoin:XBT:Bit Coin@/tickers');
  expect(await all()).toEqual([after, after, before]);
  expect(await namesIn('/tickers/eth-ethereum')).toEqual(['ETH', 'Ethereum']);
  provider.setFault('rename=btc-bitcoin:XBT:Bit Coin');
  expect(await all()).toEqual([after, after, after]);
  provider.setFault('rename=btc-bitcoin:XBTx1');
  expect(await namesIn('/tickers')).toEqual(['XBT', 'Bitcoin']);
  expect(await namesIn('/tickers')).toEqual(before);
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

test('a source fails on demand, from this process and another, and counts its calls', async () => {
  const { binance } = await startForTest({ faults: { binance: 'status=503x2@/x' } });
  const isDown = async (path = '/x') => (await fetch(binance.url + path)).status === 503;
  expect([await isDown('/y'), await isDown(), await isDown(), await isDown()]).toEqual([
    ...[false, true, true, false],
  ]);
  binance.setFault('drop');
  await expect(isDown()).rejects.toThrow('fetch failed');
  const post = (body: string) => fetch(`${binance.url}/__fault`, { method: 'POST', body });
  expect([(await post('status=503')).status, await isDown()]).toEqual([204, true]);
  expect([(await post('')).status, await isDown()]).toEqual([204, false]);
  const bad = await post('explode');
  expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('Allowed: latency=2s')]);
  expect(binance.calls).toMatchObject({ total: 7, byPath: { '/y': 1, '/x': 6 } });
  binance.calls.reset();
  expect(binance.calls.total).toBe(0);
});

test('every source says that it is simulated, and refuses methods other than GET', async () => {
  const simulated = await startForTest();
  for (const name of sourceNames) {
    const { url } = simulated[name];
    expect((await fetch(`${url}/x`)).headers.get('x-data-source')).toBe('simulated');
    expect((await fetch(`${url}/x`, { method: 'POST' })).status).toBe(405);
  }
});

test('answers are compressed only for clients that accept gzip', async () => {
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
