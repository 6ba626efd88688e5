import { expect, test } from 'vitest';
import { get, NOW, startForTest, TODAY } from './exchanges.testing.ts';

type Row = readonly [number, string, string, string, string, string, number, string, number, ...string[]];
const DAY = 86_400_000;
const klines = (query: string) => `/api/v3/klines?symbol=BTCUSDT&interval=1d${query}`;

test('lists symbols with their states', async () => {
  const exchange = await startForTest('binance');
  const { json } = await get<{ symbols: { symbol: string; status: string }[] }>(
    exchange,
    '/api/v3/exchangeInfo',
  );
  expect(json.symbols[0]).toMatchObject({
    ...{ symbol: 'BTCUSDT', status: 'TRADING', baseAsset: 'BTC', quoteAsset: 'USDT' },
  });
  const closed = json.symbols.filter(({ status }) => status !== 'TRADING').map(({ status }) => status);
  expect(closed.toSorted()).toEqual(['BREAK', 'HALT']);
  const open = await get<typeof json>(exchange, '/api/v3/exchangeInfo?symbolStatus=TRADING');
  expect(open.json.symbols).toHaveLength(json.symbols.length - 2);
  expect(json.symbols.some(({ symbol }) => symbol.startsWith('1000'))).toBe(true);
});

test('tells candles ascending, with texts for figures and the last millisecond as their end', async () => {
  const { json } = await get<Row[]>(await startForTest('binance'), klines('&limit=2'));
  expect(json.map(([opens, , , , , , closes]) => [opens, closes])).toEqual([
    [TODAY - DAY, TODAY - 1],
    [TODAY, TODAY + DAY - 1],
  ]);
  const [, open, high, low, close, volume, , quoteVolume, trades] = json[0] ?? [];
  for (const text of [open, high, low, close, volume, quoteVolume]) expect(text).toMatch(/^\d+\.\d{8}$/);
  expect(trades).toBeGreaterThan(0);
  expect(json[0]).toHaveLength(12);
});

test.each([
  ['', 500, TODAY],
  ['&limit=1000', 1000, TODAY],
  ['&limit=5000', 1000, TODAY],
  [`&startTime=${TODAY - 9 * DAY}&limit=3`, 3, TODAY - 7 * DAY],
  [`&startTime=${TODAY - 9 * DAY - 1}&endTime=${TODAY - 5 * DAY}`, 5, TODAY - 5 * DAY],
  [`&endTime=${TODAY - 5 * DAY - 1}&limit=2`, 2, TODAY - 6 * DAY],
  [`&startTime=${TODAY - 3 * DAY}`, 4, TODAY],
  [`&startTime=${TODAY + DAY}`, 0, undefined],
  [`&startTime=${TODAY}&endTime=${TODAY - DAY}`, 0, undefined],
])('answers "%s" with %i candles', async (query, count, last) => {
  const { json } = await get<Row[]>(await startForTest('binance'), klines(query));
  expect([json.length, json.at(-1)?.[0]]).toEqual([count, last]);
});

test('tells the last price that the running candle has', async () => {
  const exchange = await startForTest('binance');
  const candles = await get<Row[]>(exchange, klines('&limit=1'));
  const price = await get(exchange, '/api/v3/ticker/price?symbol=BTCUSDT');
  expect(price.json).toEqual({ symbol: 'BTCUSDT', price: candles.json[0]?.[4] });
  const tickers = await get<{ symbol: string }[]>(exchange, '/api/v3/ticker/24hr');
  expect(tickers.json[0]).toMatchObject({ symbol: 'BTCUSDT', lastPrice: candles.json[0]?.[4] });
  expect(tickers.json).toHaveLength(exchange.markets.length - 1);
});

test.each([
  ['klines?symbol=NO&interval=1d', 400, -1121],
  ['klines?symbol=btc/usdt&interval=1d', 400, -1100],
  ['klines?interval=1d', 400, -1102],
  ['klines?symbol=BTCUSDT&interval=7d', 400, -1120],
  ['klines?symbol=BTCUSDT&interval=1d&limit=x', 400, -1100],
  ['ticker/price?symbols=["BTCUSDT","NO"]', 400, -1121],
])('refuses %s with %i and the code %i', async (path, status, code) => {
  const exchange = await startForTest('binance');
  expect(await get(exchange, `/api/v3/${path}`)).toMatchObject({ status, json: { code } });
});

test('counts weights, asks to wait, and bans who goes on, for longer each time', async () => {
  let now = NOW;
  const exchange = await startForTest('binance', { weightPerMinute: 100, now: () => now });
  const ask = async (path: string) => {
    const { status, headers } = await get(exchange, `/api/v3/${path}`);
    return [status, headers.get('x-mbx-used-weight-1m'), headers.get('retry-after')];
  };
  expect(await ask('ticker/24hr')).toEqual([200, '80', null]);
  expect(await ask('exchangeInfo')).toEqual([200, '100', null]);
  expect(await ask('ping')).toEqual([429, '101', '29']);
  for (let count = 0; count < 9; count++) expect((await ask('ping'))[0]).toBe(429);
  expect(await ask('ping')).toEqual([418, '111', '120']);
  now += 119_000;
  expect(await ask('ping')).toEqual([418, '111', '1']);
  now += 1000;
  expect(await ask('klines?symbol=BTCUSDT&interval=1h&limit=1')).toEqual([200, '2', null]);
  await Promise.all(Array.from({ length: 12 }, () => ask('ticker/24hr')));
  expect((await ask('ping'))[2]).toBe('240');
});

test('blocks a region, and bans, on demand', async () => {
  const exchange = await startForTest('binance', { fault: 'status=451' });
  expect(await get(exchange, '/api/v3/ping')).toMatchObject({ status: 451, json: { code: 0 } });
  exchange.setFault('status=418');
  const banned = await get(exchange, '/api/v3/ping');
  expect([banned.status, banned.headers.get('retry-after')]).toEqual([418, '60']);
});
