import { describe, expect, test } from 'vitest';
import { ask, NOW, worldForTest } from './asking.testing.ts';
import { DAY_MS } from './market.ts';

interface Candle {
  readonly time_open: string;
  readonly time_close: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly market_cap: number;
}
interface Tick {
  readonly timestamp: string;
  readonly price: number;
}
interface Ticker {
  readonly rank: number;
  readonly last_updated: string;
  readonly quotes: { readonly USD: Readonly<Record<string, number>> };
}
const candles = '/coins/eth-ethereum/ohlcv/historical';
const ticks = '/tickers/eth-ethereum/historical';
const paid = worldForTest({ plan: 'paid' }).provider;
const free = worldForTest().provider;
const eth = { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH', rank: 1, type: 'coin' } as const;

describe('coins and tickers', () => {
  test('headers are the provider’s, and say that the data is simulated', () => {
    expect(ask(free, '/tickers/btc-bitcoin').headers).toMatchObject({
      'Cache-Control': 'public, max-age=60, s-maxage=60, stale-while-revalidate=10, stale-if-error=600',
      'Last-Modified': 'Tue, 10 Mar 2026 16:42:00 GMT',
      ...{ Age: '31', Server: 'cloudflare', 'X-Data-Source': 'simulated' },
    });
    expect(ask(free, '/nothing').headers['X-Data-Source']).toBe('simulated');
  });

  test('ticker, running candle and last tick agree, and change once a minute', () => {
    let now = NOW;
    const { provider } = worldForTest({ plan: 'paid', now: () => now });
    for (const ms of [NOW, NOW + 60_000, NOW + 7.3 * 3_600_000, NOW + 40 * DAY_MS]) {
      now = ms;
      const day = new Date(ms).toISOString().slice(0, 10);
      const { quotes, last_updated } = ask<Ticker>(provider, '/tickers/eth-ethereum').json;
      const { price, market_cap, volume_24h = 0 } = quotes.USD;
      const [candle] = ask<Candle[]>(provider, `${candles}?start=${day}`).json;
      const tick = ask<Tick[]>(provider, `${ticks}?start=${day}&interval=1h`).json.at(-1);
      expect(candle).toMatchObject({ close: price, market_cap, time_close: last_updated });
      expect(tick).toMatchObject({ price, market_cap, volume_24h: Math.round(volume_24h) });
      now = Math.floor(ms / 60_000) * 60_000 + 59_999;
      expect(ask<Ticker>(provider, '/tickers/eth-ethereum').json.quotes).toEqual(quotes);
    }
  });
});

describe('candles and ticks', () => {
  test('depend on the seed alone, not on the start or the other coins', () => {
    const of = (options: object) =>
      ask(worldForTest({ plan: 'paid', ...options }).provider, `${candles}?start=2025-03-01&limit=30`).json;
    expect(of({ coins: [eth] })).toEqual(of({}));
    expect(of({ seed: 2 })).not.toEqual(of({}));
  });

  test('each candle opens at the close of the previous one, and its range contains both', () => {
    for (const query of ['start=2025-08-01&quote=btc', 'start=2026-02-01&interval=1h']) {
      const list = ask<Candle[]>(paid, `${candles}?limit=366&${query}`).json;
      for (const [index, { open, high, low, close }] of list.entries()) {
        expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
        expect(low).toBeLessThanOrEqual(Math.min(open, close));
        expect(open).toBe(list[index - 1]?.close ?? open);
      }
    }
  });

  test('accept dates, times and Unix seconds, and return one candle without a limit', () => {
    const opens = (query: string) =>
      ask<Candle[]>(paid, `${candles}?${query}`).json.map(({ time_open }) => time_open.slice(8, 10));
    const seconds = Date.UTC(2026, 0, 5) / 1000;
    expect(opens('start=2026-01-05&end=2026-01-07')).toEqual(['05']);
    for (const range of [
      'start=2026-01-05&end=2026-01-07',
      'start=2026-01-05T00:00:00Z&end=2026-01-07T00:00:00.000Z',
      `start=${seconds}&end=${seconds + 2 * 86_400}`,
    ])
      expect(opens(`${range}&limit=9`)).toEqual(['05', '06', '07']);
  });

  test.each([
    'limit=1',
    'start=yesterday',
    'start=2026-02-31',
    'start=2026-01-01&limit=367',
    'start=2026-01-01&interval=7d',
    'start=2026-01-01&quote=eur',
    'start=2026-01-02&end=2026-01-01',
  ])('answers 400 to ?%s', (query) => {
    expect(ask(paid, `${candles}?${query}`)).toMatchObject({
      status: 400,
      text: '{"error":"Invalid parameters"}',
    });
  });
});

describe('plans', () => {
  test.each([
    [
      `${candles}?start=2026-03-09T16:42:00Z`,
      /^Getting historical OHLCV data before 2026-03-09 16:42:31\.\d+ \+0000 UTC is not allowed in this plan\. Check plans on coinpaprika\.com\/api$/,
    ],
    [
      `${candles}?start=2026-03-10&interval=1h`,
      /^Getting historical OHLCV data in 1h interval is not allowed/,
    ],
    [`${ticks}?start=2025-03-10&interval=1d`, /^Getting daily historical data before 2025-03-10 /],
    [`${ticks}?start=2026-03-09&interval=1h`, /^Getting hourly historical data before 2026-03-09 /],
    [`${ticks}?start=2026-03-10`, /^Getting 5-minute historical data before /],
  ])('the free plan refuses %s with 402, as cacheable as a 200; older servers with 400', (path, text) => {
    const refused = ask(free, path);
    expect(refused.json).toEqual({ error: expect.stringMatching(text) });
    expect(refused.status).toBe(402);
    expect(refused.headers['Cache-Control']).toContain('max-age=60');
    const older = worldForTest({ refusalStatus: 400 }).provider;
    expect(ask(older, path)).toMatchObject({ status: 400, text: refused.text });
  });

  test.each([
    ['free', `${candles}?start=2026-03-09T17:00:00Z&limit=2`, 200],
    ['starter', `${candles}?start=2026-02-09`, 200],
    ['starter', `${candles}?start=2026-02-07`, 402],
    ['paid', `${ticks}?start=2020-01-01&interval=1d&limit=5001`, 400],
  ] as const)('the %s plan answers %s with %i', (plan, path, status) => {
    expect(ask(worldForTest({ plan }).provider, path).status).toBe(status);
  });

  test('a raw key makes the plan paid; a Bearer token is refused', () => {
    const status = (authorization: string) =>
      ask(free, `${candles}?start=2025-01-01`, { authorization }).status;
    expect([status('key'), status('Bearer key')]).toEqual([200, 403]);
  });

  test('the key’s plan counts every request of the month, and refuses those beyond its limit', () => {
    const { provider } = worldForTest({ requestsPerMonth: 3 });
    const info = (headers = {}) => ask(provider, '/key/info', headers);
    expect(info().status).toBe(403);
    for (const made of [2, 3])
      expect(info({ authorization: 'key' }).json).toMatchObject({
        plan: 'enterprise',
        usage: { current_month: { requests_made: made, requests_left: 3 - made } },
      });
    expect(info({ authorization: 'key' })).toMatchObject({ status: 402, text: '' });
  });

  test('too many requests in a second get a 429', () => {
    let now = NOW;
    const { provider } = worldForTest({ limits: { coinpaprika: 2 }, now: () => now });
    const response = () => ask(provider, '/tickers/btc-bitcoin');
    expect([response().status, response().status, response().status]).toEqual([200, 200, 429]);
    expect(response().json).toEqual({ error: 'you have reached maximum request limit' });
    now += 1000;
    expect(response().status).toBe(200);
  });
});

describe('the markets of an exchange', () => {
  interface Row {
    readonly pair: string | null;
    readonly base_currency_id: string | null;
    readonly category?: string;
    readonly outlier: boolean;
  }
  const rowsOf = (exchange: string, world = worldForTest()) => {
    const { json } = ask<Row[]>(world.provider, `/exchanges/${exchange}/markets`);
    return { world, rows: json };
  };

  test('have the coin of each, in the provider’s symbols', () => {
    const { world, rows } = rowsOf('kraken');
    const { json } = ask<unknown>(world.provider, '/exchanges/nowhere/markets');
    expect(json).toEqual({ error: 'id not found' });
    expect(rows.find(({ pair }) => pair === 'XBT/USD')).toMatchObject({ base_currency_id: 'btc-bitcoin' });
    const pairs = new Map(rows.map((row) => [row.pair, row.base_currency_id]));
    for (const { base, quote, coinId } of world.kraken.markets)
      if (coinId !== null && !['BTC', 'DOGE'].includes(base))
        expect(pairs.get(`${base}/${quote}`)).toBe(coinId);
  });

  test('have a multiple of a coin under its id, a namesake’s id, outliers, contracts, and rows that are none', () => {
    const { world, rows } = rowsOf('binance');
    const multiple = world.binance.markets.find(({ trap }) => trap === 'multiplied');
    const multiplied = rows.find(({ pair }) => pair === `${multiple?.base}/USDT`);
    const coin = world.market.asset(multiplied?.base_currency_id ?? '')?.coin;
    expect(`1000${coin?.symbol}`).toBe(multiple?.base);
    const boastful = world.binance.markets.find(({ trap }) => trap === 'boastful');
    expect(rows.find(({ pair }) => pair === `${boastful?.base}/USDT`)).toMatchObject({ outlier: true });
    expect(rows.some(({ category }) => category === 'Perpetual')).toBe(true);
    expect(rows.some(({ pair }) => pair === null)).toBe(true);

    const { world: other, rows: ofCoinbase } = rowsOf('coinbase');
    const namesake = other.coinbase.markets.find(({ trap }) => trap === 'namesake');
    const stated = ofCoinbase.find(({ pair }) => pair === `${namesake?.base}/USD`)?.base_currency_id;
    expect(other.market.asset(stated ?? '')?.coin.symbol).toBe(namesake?.base);
    expect(namesake?.coinId).toBeNull();
  });

  test('are disturbed like other routes', () => {
    const path = '/exchanges/kraken/markets';
    const proper = rowsOf('kraken').rows;
    const disturbed = (fault: string) =>
      ask<Row[]>(worldForTest({ faults: { coinpaprika: fault } }).provider, path);
    expect(disturbed('status=404@/exchanges/')).toMatchObject({ status: 404 });
    expect(disturbed('lie=emptied').json).toEqual([]);
    expect(disturbed('lie=halved').json).toHaveLength(Math.ceil(proper.length / 2));
    const shifted = disturbed('lie=identity').json;
    expect(shifted.slice(0, 3).map((row) => row.base_currency_id)).toEqual(
      proper.slice(1, 4).map((row) => row.base_currency_id),
    );
    expect(shifted.map(({ pair }) => pair)).toEqual(proper.map(({ pair }) => pair));
  });
});
