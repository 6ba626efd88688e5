import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { LocalServiceOptions } from '../../local/service.ts';
import { dataOf, expectFailure, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const CANDLES = '/api/marketdata/ohlcv/btc-bitcoin';
const started: Service[] = [];

async function start(options: LocalServiceOptions = {}): Promise<Service> {
  const service = await startService(options);
  started.push(service);
  return service;
}

afterAll(() => Promise.all(started.map(({ local }) => local.close())));

describe('a provider that fails', () => {
  let service: Service;
  beforeEach(async () => {
    service ??= await start();
    service.provider.calls.reset();
  });

  it.each([
    ['status=500', 502, 'CoinPaprika answered 500: Internal Server Error', 1],
    ['status=503', 502, 'CoinPaprika answered 503: Service Unavailable', 2],
    ['status=403', 502, 'CoinPaprika answered 403: Forbidden', 1],
    ['status=429', 429, "Rate limit exceeded: the provider's (CoinPaprika); try again in 10 s", 1],
    ['status=402', 429, "Rate limit exceeded: the provider's (CoinPaprika); try again in 60 s", 1],
    ['limit', 429, "Rate limit exceeded: the provider's (CoinPaprika); try again in 60 s", 1],
    ['html=403', 502, 'CoinPaprika answered 403', 1],
    ['html=200', 502, 'CoinPaprika gave an unusable answer: text/html instead of JSON', 1],
    ['garbage', 502, 'CoinPaprika gave an unusable answer: broken JSON', 1],
    ['empty', 502, 'CoinPaprika gave an unusable answer: an empty body', 1],
    ['wrongshape', 502, /^CoinPaprika gave an unusable answer: (quotes|the answer) is not/, 1],
    ['truncate', 502, 'CoinPaprika gave an unusable answer: the answer broke off', 1],
    ['drop', 502, /^CoinPaprika is unreachable: /, 2],
    ['redirect=elsewhere', 502, 'CoinPaprika gave an unusable answer: it redirects to another host', 1],
    ['redirect=self', 502, 'CoinPaprika answered 302', 2],
  ] as const)('%s is answered %i', async (fault, status, error, calls) => {
    service.provider.setFault(fault);

    expectFailure(await service.get(TICKER), status, error);
    expect(service.provider.calls.total).toBe(calls);
    expectFailure(await service.get(CANDLES), status, error);
  });

  it.each(['hang', 'drip'])('%s is answered 504', async (fault) => {
    const { provider, get } = await start({ env: { UPSTREAM_TIMEOUT_MS: '700' } });
    provider.setFault(fault);

    const error = 'CoinPaprika timed out: no answer within 0.7 s';
    expectFailure(await get(TICKER), 504, error);
    expect(provider.calls.total).toBe(1);
    expectFailure(await get(CANDLES), 504, error);
  });

  it('huge is answered 502 as soon as it is larger than 8 MB', async () => {
    const { provider, get } = await start({ env: { UPSTREAM_TIMEOUT_MS: '10000' } });
    provider.setFault('huge');

    const error = 'CoinPaprika gave an unusable answer: the answer is larger than 8 MB';
    for (const path of [TICKER, CANDLES]) expectFailure(await get(path), 502, error);
    expect(provider.calls.total).toBe(2);
  });

  it.each([
    ['status=429', '10'],
    ['limit', '60'],
  ])('says when to come back after too many requests: %s', async (fault, seconds) => {
    service.provider.setFault(fault);
    expect((await service.get(TICKER)).headers['retry-after']).toBe(seconds);
  });

  it('because a limit is reached says nothing about its plan', async () => {
    const fresh = await start();
    fresh.provider.setFault('limit');
    for (const coin of ['btc-bitcoin', 'sol-solana', 'eth-ethereum'])
      expectFailure(await fresh.get(`/api/marketdata/ohlcv/${coin}?limit=1`), 429, /^Rate limit exceeded: /);

    fresh.provider.setFault(null);
    fresh.provider.calls.reset();
    expect((await fresh.get(`${CANDLES}?limit=1`)).status).toBe(200);
    const paths = Object.keys(fresh.provider.calls.byPath);
    expect(paths.filter((path) => !path.includes('/ohlcv/'))).toEqual([]);
    expect(paths).not.toEqual([]);
  });

  it.each(['status=502x1', 'status=503x1', 'status=504x1', 'dropx1'])(
    'that fails once with %s is asked once more',
    async (fault) => {
      const fresh = await start();
      fresh.provider.setFault(fault);

      expect(dataOf(await fresh.get(TICKER))).toMatchObject({ id: 'btc-bitcoin' });
      expect(fresh.provider.calls.total).toBe(2);
    },
  );

  it('is followed once to its own host', async () => {
    const fresh = await start();
    fresh.provider.setFault('redirect=selfx1');

    expect(dataOf(await fresh.get(TICKER))).toMatchObject({ id: 'btc-bitcoin' });
  });
});

it.each([402, 400] as const)(
  'a plan of which the settings say too much costs a refusal of each kind and %i once, then no more for an hour',
  async (refusalStatus) => {
    const env = { COINPAPRIKA_PLAN: 'ultimate' };
    const service = await startService({ env, provider: { simulated: { refusalStatus } } });
    started.push(service);

    const first = await service.get(`${CANDLES}?limit=366`);
    const refused = service.provider.calls.total;
    const other = await service.get('/api/marketdata/ohlcv/eth-ethereum?limit=366');

    expect(first.headers).toMatchObject({ 'x-data-quality': 'derived', 'x-data-source': 'simulated' });
    // The year of free history begins within its first day, which is therefore not to be had whole.
    expect(dataOf(first)).toMatchObject({ count: 365 });
    expect(refused).toBe(3);
    expect(dataOf(other)).toMatchObject({ count: 365 });
    expect(service.provider.calls.total).toBe(4);
  },
);

it('a free plan costs one request a chart', async () => {
  const service = await start();

  expect(dataOf(await service.get(`${CANDLES}?limit=366`))).toMatchObject({ count: 365 });
  expect(service.provider.calls.total).toBe(1);
});

it('names what the plan allows where it reaches nothing of the window', async () => {
  const service = await start();

  expectFailure(
    await service.get(`${CANDLES}?start=2020-01-01`),
    400,
    /^The provider's plan has no prices for this interval so far back; allowed: from \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ on$/,
  );
});

it('never tells the key of a paid plan', async () => {
  const service = await startService({ env: { COINPAPRIKA_API_KEY: 'paid-plan-key' } });
  started.push(service);
  service.provider.setFault('garbage');

  expect(JSON.stringify(await service.get(TICKER))).not.toContain('paid-plan-key');
  service.provider.setFault(null);
  expect((await service.get(`${CANDLES}?start=2024-01-01`)).headers['x-data-quality']).toBe('exact');
});
