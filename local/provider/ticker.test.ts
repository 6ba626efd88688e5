import { expect, test } from 'vitest';
import { DAY_MS } from '../../shared/platform/time.ts';
import type { Candle } from './candles.ts';
import type { Tick } from './history.ts';
import { getJson, NOW, startForTest } from './provider.testing.ts';

interface Ticker {
  id: string;
  rank: number;
  last_updated: string;
  circulating_supply?: number;
  max_supply: number;
  quotes: { USD: Record<string, number | string> };
}

test('ticker, running candle and last history entry agree at every minute', async () => {
  let now = NOW;
  const provider = await startForTest({ plan: 'paid', now: () => now });
  for (const ms of [NOW, NOW + 60_000, NOW + 7.3 * 3_600_000, NOW + 40 * DAY_MS]) {
    now = ms;
    const day = new Date(ms).toISOString().slice(0, 10);
    const ticker = await getJson<Ticker>(provider, '/tickers/eth-ethereum');
    const [candle] = await getJson<Candle[]>(provider, '/coins/eth-ethereum/ohlcv/today');
    const history = await getJson<Tick[]>(
      provider,
      `/tickers/eth-ethereum/historical?start=${day}&interval=1h`,
    );
    const { price, market_cap, volume_24h } = ticker.quotes.USD;
    expect(candle).toMatchObject({ close: price, market_cap, time_close: ticker.last_updated });
    expect(history.at(-1)).toMatchObject({ price, market_cap, volume_24h: Math.round(Number(volume_24h)) });
  }
});

test('stays as it is until the next full minute', async () => {
  let now = Date.UTC(2026, 2, 10, 16, 42, 0);
  const provider = await startForTest({ now: () => now });
  const atStart = await getJson<Ticker>(provider, '/tickers/btc-bitcoin');
  now += 59_999;
  expect(await getJson(provider, '/tickers/btc-bitcoin')).toEqual(atStart);
  now += 1;
  const next = await getJson<Ticker>(provider, '/tickers/btc-bitcoin');
  expect([atStart.last_updated, next.last_updated]).toEqual(['2026-03-10T16:42:00Z', '2026-03-10T16:43:00Z']);
  expect(next.quotes.USD.price).not.toBe(atStart.quotes.USD.price);
});

test('computes the percentages from the same prices that history shows', async () => {
  const provider = await startForTest({ plan: 'paid' });
  const { quotes } = await getJson<Ticker>(provider, '/tickers/sol-solana');
  const before = new Date(NOW - (NOW % 60_000) - DAY_MS).toISOString();
  const earlier = await startForTest({ plan: 'paid', now: () => Date.parse(before) });
  const then = (await getJson<Ticker>(earlier, '/tickers/sol-solana')).quotes.USD.price;
  const change = (Number(quotes.USD.price) / Number(then) - 1) * 100;
  expect(quotes.USD.percent_change_24h).toBeCloseTo(change, 1);
  expect(quotes.USD.ath_price).toBeGreaterThanOrEqual(Number(quotes.USD.price));
  expect(quotes.USD.percent_from_price_ath).toBeLessThanOrEqual(0);
});

test('has every field of the recorded answer; the circulating supply only on a paid plan', async () => {
  const provider = await startForTest();
  const free = await getJson<Ticker>(provider, '/tickers/eth-ethereum');
  const response = await fetch(`${provider.url}/tickers/eth-ethereum`, { headers: { Authorization: 'key' } });
  const paid = (await response.json()) as Ticker;
  expect(Object.keys(paid.quotes.USD)).toEqual([
    'price',
    'volume_24h',
    'volume_24h_change_24h',
    'market_cap',
    'market_cap_change_24h',
    ...['15m', '30m', '1h', '6h', '12h', '24h', '7d', '30d', '1y'].map(
      (period) => `percent_change_${period}`,
    ),
    'ath_price',
    'ath_date',
    'percent_from_price_ath',
  ]);
  expect(paid).toMatchObject({ ...free, circulating_supply: 120_700_000, max_supply: 0 });
  expect(free).not.toHaveProperty('circulating_supply');
});

test('lists the tickers of all active coins by rank, 2000 on the free plan', async () => {
  const coins = Array.from({ length: 2100 }, (_, index) => ({
    id: `c-${index}`,
    name: `C ${index}`,
    symbol: 'C',
    rank: index === 5 ? 0 : 2100 - index,
    is_active: index !== 5,
    type: 'token' as const,
  }));
  const free = await getJson<Ticker[]>(await startForTest({ coins }), '/tickers');
  const paid = await getJson<Ticker[]>(await startForTest({ coins, plan: 'paid' }), '/tickers');
  expect(free).toHaveLength(2000);
  expect(paid).toHaveLength(2099);
  expect(paid.map((ticker) => ticker.rank)).toEqual(
    paid.map((ticker) => ticker.rank).toSorted((a, b) => a - b),
  );
  for (const { quotes } of paid) expect(quotes.USD.price).toBeGreaterThan(0);
});

test('answers all default tickers with positive finite figures', async () => {
  const tickers = await getJson<Ticker[]>(await startForTest(), '/tickers');
  expect(tickers.length).toBeGreaterThan(220);
  for (const { id, quotes } of tickers) {
    for (const figure of ['price', 'volume_24h', 'market_cap', 'ath_price']) {
      expect(quotes.USD[figure], `${figure} of ${id}`).toBeGreaterThan(0);
    }
  }
});
