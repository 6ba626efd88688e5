import { expect, test } from 'vitest';
import { getJson, startForTest } from './provider.testing.ts';

const ohlcv = '/coins/btc-bitcoin/ohlcv/historical';
const history = '/tickers/btc-bitcoin/historical';

test.each([
  [
    `${ohlcv}?start=2026-03-09T16:42:00Z`,
    /^Getting historical OHLCV data before 2026-03-09 16:42:31\.25\d+ \+0000 UTC is not allowed in this plan\. Check plans on coinpaprika\.com\/api$/,
  ],
  [`${ohlcv}?start=2026-03-10&interval=1h`, /^Getting historical OHLCV data in 1h interval is not allowed/],
  [
    `${history}?start=2025-03-10&interval=1d`,
    /^Getting daily historical data before 2025-03-10 16:42:31\.25\d+ \+0000 UTC is not allowed in this plan\./,
  ],
  [
    `${history}?start=2026-03-09&interval=1h`,
    /^Getting hourly historical data before 2026-03-09 16:42:31\.25\d+ \+0000 UTC is not allowed/,
  ],
  [
    `${history}?start=2026-03-10`,
    /^Getting 5-minute historical data before .* is not allowed in this plan\./,
  ],
])('the free plan refuses %s with 402, as cacheable as a 200', async (path, text) => {
  const provider = await startForTest();
  const response = await fetch(provider.url + path);
  expect(response.status).toBe(402);
  expect(await response.json()).toEqual({ error: expect.stringMatching(text) });
  expect(response.headers.get('cache-control')).toContain('max-age=60');
  expect(response.headers.get('content-type')).toBe('application/json');
});

test.each([
  `${ohlcv}?start=2026-03-09T17:00:00Z&limit=2`,
  '/coins/btc-bitcoin/ohlcv/latest',
  '/coins/btc-bitcoin/ohlcv/today',
  `${history}?start=2025-03-11&interval=1d`,
  `${history}?start=2026-03-09T17:00:00Z&interval=1h`,
])('the free plan gives %s', async (path) => {
  const answer = await getJson<unknown[]>(await startForTest(), path);
  expect(answer.length).toBeGreaterThan(0);
});

test.each([
  ['/coins/btc-bitcoin/ohlcv/historical?limit=366', 200],
  ['/coins/btc-bitcoin/ohlcv/historical?limit=367', 400],
  ['/tickers/btc-bitcoin/historical?interval=1d&limit=5000', 200],
  ['/tickers/btc-bitcoin/historical?interval=1d&limit=5001', 400],
])('one request gives 366 candles or 5,000 prices: %s is answered %i', async (path, status) => {
  const provider = await startForTest({ plan: 'paid' });
  expect((await fetch(`${provider.url}${path}&start=2020-01-01`)).status).toBe(status);
});

test.each([
  [`${ohlcv}?start=2026-02-09`, 200],
  [`${ohlcv}?start=2026-02-07`, 402],
  [`${history}?start=2021-03-12&interval=1d`, 200],
  [`${history}?start=2021-03-10&interval=1d`, 402],
])('the smallest paid plan answers %s with %i', async (path, status) => {
  const provider = await startForTest({ plan: 'starter' });
  expect((await fetch(provider.url + path)).status).toBe(status);
});

test('the key’s plan counts every request of the month, and none beyond its limit is answered', async () => {
  const provider = await startForTest({ requestsPerMonth: 3, planWithKey: 'starter' });
  const keyInfo = async () => fetch(`${provider.url}/key/info`, { headers: { Authorization: 'any-key' } });

  expect((await fetch(`${provider.url}/key/info`)).status).toBe(403);
  for (const made of [2, 3])
    expect(await (await keyInfo()).json()).toMatchObject({
      plan: 'starter',
      usage: { message: 'limited plan', current_month: { requests_made: made, requests_left: 3 - made } },
    });
  expect((await keyInfo()).status).toBe(402);
});

test('older servers refuse with 400 and the same text', async () => {
  const provider = await startForTest({ refusalStatus: 400 });
  const response = await fetch(`${provider.url}${ohlcv}?start=2025-01-01`);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('is not allowed in this plan');
});

test('a raw key makes the plan paid unless told otherwise; a Bearer token is refused', async () => {
  const status = async (key: string, planWithKey?: 'free') => {
    const provider = await startForTest(planWithKey ? { planWithKey } : {});
    const headers = { Authorization: key };
    return (await fetch(`${provider.url}${ohlcv}?start=2025-01-01`, { headers })).status;
  };
  expect(await status('any-key')).toBe(200);
  expect(await status('any-key', 'free')).toBe(402);
  expect(await status('Bearer any-key')).toBe(403);
});
