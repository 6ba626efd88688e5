import { expect, test } from 'vitest';
import type { Candle } from './candles.ts';
import type { Tick } from './history.ts';
import { getJson, startForTest } from './provider.testing.ts';

const historical = '/tickers/btc-bitcoin/historical';

test('a price is the close of the candle that opens at its timestamp', async () => {
  const provider = await startForTest({ plan: 'paid' });
  for (const [interval, candleInterval] of [
    ['1d', '24h'],
    ['1h', '1h'],
  ]) {
    const query = 'start=2026-03-01&limit=300';
    const ticks = await getJson<Tick[]>(provider, `${historical}?${query}&interval=${interval}`);
    const candles = await getJson<Candle[]>(
      provider,
      `/coins/btc-bitcoin/ohlcv/historical?${query}&interval=${candleInterval}`,
    );
    expect(ticks.map(({ timestamp, price }) => [timestamp, price])).toEqual(
      candles.map(({ time_open, close }) => [time_open, close]),
    );
  }
});

test('counts 5-minute steps from the start unless told otherwise, at most 1000', async () => {
  const provider = await startForTest({ plan: 'paid' });
  const ticks = await getJson<Tick[]>(provider, `${historical}?start=2026-03-01`);
  expect(ticks).toHaveLength(1000);
  expect(ticks.slice(0, 2).map((tick) => tick.timestamp)).toEqual([
    '2026-03-01T00:00:00Z',
    '2026-03-01T00:05:00Z',
  ]);
  const weeks = await getJson<Tick[]>(provider, `${historical}?start=2026-02-01&interval=7d&quote=btc`);
  expect(weeks.map(({ timestamp, price }) => [timestamp.slice(0, 10), price])).toEqual(
    ['01', '08', '15', '22']
      .map((day) => [`2026-02-${day}`, 1])
      .concat([
        ['2026-03-01', 1],
        ['2026-03-08', 1],
      ]),
  );
});

test.each(['interval=1d', 'start=2026-01-01&interval=4h', 'start=2026-01-01&interval=1d&limit=5001'])(
  'answers 400 to ?%s',
  async (query) => {
    const provider = await startForTest({ plan: 'paid' });
    expect((await fetch(`${provider.url}${historical}?${query}`)).status).toBe(400);
  },
);
