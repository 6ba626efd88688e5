import { describe, expect, test } from 'vitest';
import { ask, NOW, TODAY, worldForTest } from './asking.testing.ts';
import { DAY_MS, HOUR_MS } from './market.ts';

type Texts = readonly [number, string, string, string, string, string, string | number, ...unknown[]];
const iso = (ms: number) => new Date(ms).toISOString();
const world = worldForTest();

test('each exchange has a price of its own, within half a percent of the provider’s', () => {
  const { provider, coinbase, kraken, binance } = world;
  const { quotes } = ask<{ quotes: { USD: { price: number } } }>(provider, '/tickers/btc-bitcoin').json;
  const prices = [
    ask<{ price: string }>(coinbase, '/products/BTC-USD/ticker').json.price,
    ask<{ result: { XXBTZUSD: { c: [string] } } }>(kraken, '/0/public/Ticker?pair=XBTUSD').json.result
      .XXBTZUSD.c[0],
    ask<{ lastPrice: string }>(binance, '/api/v3/ticker/24hr?symbol=BTCUSDT').json.lastPrice,
  ].map(Number);
  for (const price of prices) expect(price / quotes.USD.price).toBeCloseTo(1, 2);
  expect(new Set(prices).size).toBe(3);
});

describe('Coinbase', () => {
  const path = '/products/BTC-USD/candles?granularity';

  test('has the latest 300 unless it gets both start and end, the last one running, at the ticker’s price', () => {
    const { coinbase } = world;
    const { price } = ask<{ price: string }>(coinbase, '/products/BTC-USD/ticker').json;
    for (const query of ['', `&start=${iso(TODAY)}`, `&end=${iso(TODAY)}`]) {
      const { json } = ask<number[][]>(coinbase, `${path}=86400${query}`);
      expect([json.length, json[0]?.[0], json[0]?.[4]]).toEqual([300, TODAY / 1000, Number(price)]);
    }
  });

  test.each([
    ['/products/NO-USD/candles', 404, 'NotFound'],
    [`${path}=7`, 400, 'Unsupported granularity'],
    [
      `${path}=3600&start=${iso(TODAY - 301 * HOUR_MS)}&end=${iso(TODAY)}`,
      400,
      expect.stringContaining('exceeds 300'),
    ],
  ])('refuses %s with %i', (url, status, message) => {
    const { status: given, json } = ask(world.coinbase, url);
    expect([given, json]).toEqual([status, { message }]);
  });

  test('accepts a burst of 15 requests, and then ten a second', () => {
    let now = NOW;
    const { coinbase } = worldForTest({ limits: { coinbase: 10 }, now: () => now });
    const refused = (count: number) =>
      Array.from({ length: count }, () => ask(coinbase, '/time').status).filter((status) => status === 429)
        .length;
    expect(refused(16)).toBe(1);
    now += 1000;
    expect(refused(11)).toBe(1);
    expect(coinbase.refusals).toBe(2);
  });
});

describe('Kraken', () => {
  interface Result<T> {
    readonly error: readonly string[];
    readonly result: T;
  }
  const of = <T>(url: string) => ask<Result<T>>(world.kraken, `/0/public/${url}`);

  test('has its own names for pairs, several for each, and no delisted pair', () => {
    const { result } = of<Record<string, { status: string }>>('AssetPairs').json;
    expect(result.XXBTZUSD).toMatchObject({
      ...{ altname: 'XBTUSD', wsname: 'XBT/USD', base: 'XXBT', quote: 'ZUSD', status: 'online' },
    });
    expect([result.XDGUSD, result.XETHZUSD, result.SOLUSD]).toMatchObject([
      { base: 'XXDG' },
      { altname: 'ETHUSD' },
      {},
    ]);
    const states = Object.values(result).map(({ status }) => status);
    expect(states.filter((status) => status === 'cancel_only')).toHaveLength(1);
    expect(states).toHaveLength(world.kraken.markets.length - 1);
    for (const pair of ['XXBTZUSD', 'XBTUSD', 'XBT/USD'])
      expect(Object.keys(of<object>(`Ticker?pair=${encodeURIComponent(pair)}`).json.result)).toEqual([
        'XXBTZUSD',
      ]);
  });

  test('does not repeat the candle at `since`, and repeats the last price for hours without a trade', () => {
    const rows = of<{ XXBTZUSD: Texts[] }>(`OHLC?pair=XBTUSD&interval=1440&since=${(TODAY - DAY_MS) / 1000}`)
      .json.result.XXBTZUSD;
    expect(rows.map(([time]) => time * 1000)).toEqual([TODAY]);
    const silent = world.kraken.markets.find(({ trap }) => trap === 'silent');
    const hours =
      of<Record<string, Texts[]>>(`OHLC?pair=${silent?.base}USD&interval=60`).json.result[
        `${silent?.base}USD`
      ] ?? [];
    const flat = hours.filter((row) => Number(row[6]) === 0 && new Set(row.slice(1, 5)).size === 1);
    expect([hours.length, flat.length > 30]).toEqual([720, true]);
  });

  test.each([
    ['Ticker?pair=NO', 'EQuery:Unknown asset pair'],
    ['OHLC?pair=XBTUSD&interval=7', 'EGeneral:Invalid arguments'],
  ])('refuses %s in a 200', (url, error) => {
    const { status, json } = of(url);
    expect([status, json]).toEqual([200, { error: [error] }]);
  });

  test('refuses too many requests in a 200', () => {
    let now = NOW;
    const { kraken } = worldForTest({ limits: { kraken: 1 }, now: () => now });
    const errors = (count: number) =>
      Array.from({ length: count }, () => ask<Result<object>>(kraken, '/0/public/Time').json.error[0]);
    expect(errors(6)).toEqual([...Array(5).fill(undefined), 'EGeneral:Too many requests']);
    now += 1000;
    expect(errors(2)).toEqual([undefined, 'EGeneral:Too many requests']);
    expect(kraken.refusals).toBe(2);
  });
});

describe('Binance', () => {
  const klines = (query: string) => `/api/v3/klines?symbol=BTCUSDT&interval=1d${query}`;

  test.each([
    ['', 500, TODAY],
    ['&limit=5000', 1000, TODAY],
    [`&startTime=${TODAY - 9 * DAY_MS}&limit=3`, 3, TODAY - 7 * DAY_MS],
    [`&startTime=${TODAY - 9 * DAY_MS - 1}&endTime=${TODAY - 5 * DAY_MS}`, 5, TODAY - 5 * DAY_MS],
    [`&startTime=${TODAY + DAY_MS}`, 0, undefined],
  ])('returns for "%s" %i candles', (query, count, last) => {
    const { json } = ask<Texts[]>(world.binance, klines(query));
    expect([json.length, json.at(-1)?.[0]]).toEqual([count, last]);
  });

  test.each([
    ['klines?symbol=NO&interval=1d', -1121],
    ['klines?symbol=btc/usdt&interval=1d', -1100],
    ['klines?symbol=BTCUSDT&interval=7d', -1120],
  ])('refuses %s with the code %i', (url, code) => {
    const { status, json } = ask(world.binance, `/api/v3/${url}`);
    expect([status, json]).toMatchObject([400, { code }]);
  });

  test('counts weights, refuses, and bans clients that go on, for longer each time', () => {
    let now = NOW;
    const { binance } = worldForTest({ limits: { binance: 100 }, now: () => now });
    const outcome = (path: string) => {
      const { status, headers } = ask(binance, `/api/v3/${path}`);
      return [status, headers['X-MBX-USED-WEIGHT-1M'], headers['Retry-After']];
    };
    expect(outcome('ticker/24hr')).toEqual([200, '80', undefined]);
    expect(outcome('exchangeInfo')).toEqual([200, '100', undefined]);
    for (let count = 1; count <= 10; count++)
      expect(outcome('ping')).toEqual([429, String(100 + count), '29']);
    expect(outcome('ping')).toEqual([418, '111', '120']);
    expect(binance.refusals).toBe(11);
    now += 119_000;
    expect(outcome('ping')).toEqual([418, '111', '1']);
    now += 1000;
    expect(outcome('klines?symbol=BTCUSDT&interval=1h&limit=1')).toEqual([200, '2', undefined]);
    for (let count = 0; count < 12; count++) outcome('ticker/24hr');
    expect(outcome('ping')[2]).toBe('240');
  });
});
