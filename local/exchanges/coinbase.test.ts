import { expect, test } from 'vitest';
import { get, NOW, startForTest, TODAY } from './exchanges.testing.ts';

type Row = readonly [number, number, number, number, number, number];
const iso = (ms: number) => new Date(ms).toISOString();
const HOUR = 3_600_000;

test('lists products with their states', async () => {
  const exchange = await startForTest('coinbase');
  const { json } = await get<{ id: string; status: string; trading_disabled: boolean }[]>(
    exchange,
    '/products',
  );
  expect(json[0]).toMatchObject({
    id: 'BTC-USD',
    base_currency: 'BTC',
    quote_currency: 'USD',
    status: 'online',
    trading_disabled: false,
    quote_increment: '0.01',
  });
  const closed = json.filter((product) => product.trading_disabled).map(({ status }) => status);
  expect(closed.toSorted()).toEqual(['delisted', 'online']);
});

test('tells candles newest first, as time, low, high, open, close and volume', async () => {
  const exchange = await startForTest('coinbase');
  const start = iso(TODAY + HOUR);
  const path = `/products/BTC-USD/candles?granularity=3600&start=${start}&end=${iso(TODAY + 3 * HOUR)}`;
  const { json } = await get<Row[]>(exchange, path);
  expect(json.map(([time]) => time * 1000)).toEqual([3, 2, 1].map((hour) => TODAY + hour * HOUR));
  for (const [, low, high, open, close, volume] of json) {
    expect(low).toBeLessThanOrEqual(Math.min(open, close));
    expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
    expect(volume).toBeGreaterThan(0);
  }
});

test('takes seconds for times, and begins with the candle that the start is in', async () => {
  const exchange = await startForTest('coinbase');
  const [start, end] = [(TODAY + 1.5 * HOUR) / 1000, (TODAY + 2 * HOUR) / 1000];
  const { json } = await get<Row[]>(
    exchange,
    `/products/BTC-USD/candles?granularity=3600&start=${start}&end=${end}`,
  );
  expect(json.map(([time]) => time)).toEqual([end, end - 3600]);
});

test('tells the latest 300 if it is not told both start and end, the last one still running', async () => {
  const exchange = await startForTest('coinbase');
  for (const query of ['', `&start=${iso(TODAY)}`, `&end=${iso(TODAY)}`]) {
    const { json } = await get<Row[]>(exchange, `/products/BTC-USD/candles?granularity=86400${query}`);
    expect([json.length, json[0]?.[0]]).toEqual([300, TODAY / 1000]);
    const ticker = await get<{ price: string }>(exchange, '/products/BTC-USD/ticker');
    expect(Number(ticker.json.price)).toBe(json[0]?.[4]);
  }
});

test('leaves out hours without a trade', async () => {
  const exchange = await startForTest('coinbase');
  const silent = exchange.markets.find(({ trap }) => trap === 'silent');
  const { json } = await get<Row[]>(exchange, `/products/${silent?.base}-USD/candles?granularity=3600`);
  expect(json.length).toBeGreaterThan(200);
  expect(json.length).toBeLessThan(300);
});

test.each([
  ['/products/NO-USD/candles', 404, 'NotFound'],
  ['/products/NO-USD/ticker', 404, 'NotFound'],
  ['/nothing', 404, 'NotFound'],
  ['/products/BTC-USD/candles?granularity=7', 400, 'Unsupported granularity'],
  [
    `/products/BTC-USD/candles?granularity=3600&start=${iso(TODAY - 301 * HOUR)}&end=${iso(TODAY)}`,
    400,
    'granularity too small for the requested time range. Count of aggregations requested exceeds 300',
  ],
])('refuses %s with %i', async (path, status, message) => {
  expect(await get(await startForTest('coinbase'), path)).toMatchObject({ status, json: { message } });
});

test('tells all last prices at once, but of what is delisted', async () => {
  const exchange = await startForTest('coinbase');
  const { json } = await get<Record<string, unknown>>(exchange, '/products/stats');
  expect(Object.keys(json)).toHaveLength(exchange.markets.length - 1);
  const ticker = await get<{ price: string; volume: string }>(exchange, '/products/BTC-USD/ticker');
  const { price: last, volume } = ticker.json;
  expect(json['BTC-USD']).toMatchObject({ stats_24hour: { last, volume } });
});

test('lets a burst of 15 through, and then ten a second', async () => {
  let now = NOW;
  const exchange = await startForTest('coinbase', { requestsPerSecond: 10, now: () => now });
  const asked = async (count: number) => {
    const statuses = [];
    for (let index = 0; index < count; index++) statuses.push((await fetch(`${exchange.url}/time`)).status);
    return statuses.filter((status) => status === 429).length;
  };
  expect(await asked(16)).toBe(1);
  expect(await get(exchange, '/time')).toMatchObject({ json: { message: 'Public rate limit exceeded' } });
  now += 1000;
  expect(await asked(11)).toBe(1);
});
