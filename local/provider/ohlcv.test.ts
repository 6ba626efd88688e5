import { expect, test } from 'vitest';
import { DAY_MS } from '../../shared/platform/time.ts';
import type { Candle } from './candles.ts';
import { getJson, NOW, startForTest } from './provider.testing.ts';

const paid = { plan: 'paid' } as const;
const historical = '/coins/eth-ethereum/ohlcv/historical';

test('gives the same history at every start, another one for another seed, whatever else is listed', async () => {
  const path = `${historical}?start=2025-03-01&limit=30`;
  const first = await getJson<Candle[]>(await startForTest(paid), path);
  const again = await getJson<Candle[]>(await startForTest(paid), path);
  const eth = { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH', rank: 1, type: 'coin' } as const;
  const alone = await getJson<Candle[]>(await startForTest({ ...paid, coins: [eth] }), path);
  const other = await getJson<Candle[]>(await startForTest({ ...paid, seed: 2 }), path);
  expect(first).toHaveLength(30);
  expect(again).toEqual(first);
  expect(alone).toEqual(first);
  expect(other).not.toEqual(first);
});

test('every candle opens at the close of the one before, and its range holds both', async () => {
  const provider = await startForTest(paid);
  for (const query of ['start=2024-03-01', 'start=2025-08-01&quote=btc', 'start=2026-02-01&interval=1h']) {
    const candles = await getJson<Candle[]>(provider, `${historical}?limit=366&${query}`);
    for (const [index, candle] of candles.entries()) {
      expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
      expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
      expect(candle.open).toBe(candles[index - 1]?.close ?? candle.open);
      expect(Number.isInteger(candle.volume) && Number.isInteger(candle.market_cap)).toBe(true);
    }
  }
});

test('a day is made of its hours, the running day too', async () => {
  const provider = await startForTest(paid);
  for (const quote of ['usd', 'btc']) {
    for (const day of ['2026-01-14', '2026-03-10']) {
      const query = `start=${day}&end=${day}&quote=${quote}`;
      const [whole] = await getJson<Candle[]>(provider, `${historical}?${query}`);
      const hours = await getJson<Candle[]>(provider, `${historical}?${query}&interval=1h&limit=24`);
      const sixes = await getJson<Candle[]>(provider, `${historical}?${query}&interval=6h&limit=24`);
      for (const parts of [hours, sixes]) {
        expect(whole?.open).toBe(parts[0]?.open);
        expect(whole?.close).toBe(parts.at(-1)?.close);
        expect(whole?.high).toBe(Math.max(...parts.map((part) => part.high)));
        expect(whole?.low).toBe(Math.min(...parts.map((part) => part.low)));
        expect(whole?.time_close).toBe(parts.at(-1)?.time_close);
      }
      const volume = hours.reduce((sum, hour) => sum + hour.volume, 0);
      if (quote === 'usd') expect(Math.abs((whole?.volume ?? 0) - volume)).toBeLessThan(24);
    }
  }
});

test('stamps candles with their first and last second, the running one with the last full minute', async () => {
  const provider = await startForTest(paid);
  const candles = await getJson<Candle[]>(provider, `${historical}?start=2026-03-09&limit=10`);
  expect(candles.map(({ time_open, time_close }) => [time_open, time_close])).toEqual([
    ['2026-03-09T00:00:00Z', '2026-03-09T23:59:59Z'],
    ['2026-03-10T00:00:00Z', '2026-03-10T16:42:00Z'],
  ]);
  expect(await getJson(provider, '/coins/eth-ethereum/ohlcv/latest')).toEqual(candles.slice(0, 1));
  expect(await getJson(provider, '/coins/eth-ethereum/ohlcv/today')).toEqual(candles.slice(1));
});

test('gives one candle unless a limit is sent, and accepts dates, times and Unix seconds', async () => {
  const provider = await startForTest(paid);
  const opens = async (query: string) =>
    (await getJson<Candle[]>(provider, `${historical}?${query}`)).map((candle) =>
      candle.time_open.slice(0, 10),
    );
  expect(await opens('start=2026-01-05&end=2026-01-07')).toEqual(['2026-01-05']);
  const three = ['2026-01-05', '2026-01-06', '2026-01-07'];
  expect(await opens('start=2026-01-05&end=2026-01-07&limit=9')).toEqual(three);
  expect(await opens('start=2026-01-05T00:00:00Z&end=2026-01-07T00:00:00.000Z&limit=9')).toEqual(three);
  const seconds = Date.UTC(2026, 0, 5) / 1000;
  expect(await opens(`start=${seconds}&end=${seconds + 2 * 86_400}&limit=9`)).toEqual(three);
  expect(await opens('start=2026-04-01&limit=9')).toEqual([]);
});

test('gives nothing from before a coin had a price', async () => {
  const provider = await startForTest(paid);
  const path = '/coins/sol-solana/ohlcv/historical?start=2019-06-01&limit=366';
  const [first] = await getJson<Candle[]>(provider, path);
  expect(first?.time_open.slice(0, 4)).toBe('2020');
});

test.each([
  'limit=1',
  'start=yesterday',
  'start=2026-02-31',
  'start=2026-02-28T00:00',
  'start=2026-01-01&limit=0',
  'start=2026-01-01&limit=367',
  'start=2026-01-01&limit=ten',
  'start=2026-01-01&interval=7d',
  'start=2026-01-01&interval=5m',
  'start=2026-01-01&quote=eur',
  'start=2026-01-02&end=2026-01-01',
])('answers 400 to ?%s', async (query) => {
  const provider = await startForTest(paid);
  const response = await fetch(`${provider.url}${historical}?${query}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: 'Invalid parameters' });
});

test('quotes a pegged coin in its unit: a stablecoin within 0.1 % of the dollar, wrapped bitcoin near 1', async () => {
  const provider = await startForTest(paid);
  const year = 'start=2025-03-01&limit=366';
  for (const [path, center] of [
    ['/coins/usdt-tether/ohlcv/historical?', 1],
    ['/coins/wbtc-wrapped-bitcoin/ohlcv/historical?quote=btc&', 1],
    ['/coins/btc-bitcoin/ohlcv/historical?quote=btc&', 1],
  ] as const) {
    for (const { high, low } of await getJson<Candle[]>(provider, path + year)) {
      expect(Math.abs(high - center)).toBeLessThan(0.003);
      expect(Math.abs(low - center)).toBeLessThan(path.includes('usdt') ? 0.001 : 0.003);
    }
  }
});

test('holds the well-known price around September 2025', async () => {
  const provider = await startForTest(paid);
  const path = '/coins/btc-bitcoin/ohlcv/historical?start=2025-09-01';
  const [candle] = await getJson<Candle[]>(provider, path);
  expect(candle?.open).toBeCloseTo(111_000, 6);
  expect(Date.parse(candle?.time_open ?? '')).toBeLessThan(NOW - DAY_MS);
});
