import { describe, expect, test } from 'vitest';
import { wellKnownCoins } from '../../registry-layer/simulated/well-known.ts';
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
const paid = () => worldForTest({ plan: 'paid' }).provider;
const free = () => worldForTest().provider;
const eth = { id: 'eth-ethereum', name: 'Ethereum', symbol: 'ETH', rank: 1, type: 'coin' } as const;
const dead = { id: 'x-dead', name: 'X', symbol: 'X', rank: 0, is_active: false, type: 'token' } as const;

describe('coins and tickers', () => {
  test('the list has the well-known coins and the odd ids in the shape of the provider', () => {
    const { json } = ask<object[]>(free(), '/coins');
    expect(json).toHaveLength(wellKnownCoins.length + 6);
    expect(json[0]).toEqual({
      ...{ id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', rank: 1, type: 'coin' },
      ...{ is_new: false, is_active: true },
    });
  });

  test.each(['-doggotothemoon', 'xch-chia-', 'toto-totoro-inu-?', '战旗-战旗'])(
    'knows the odd id %s',
    (id) => {
      expect(ask(free(), `/tickers/${encodeURIComponent(id)}`).json).toMatchObject({ id });
    },
  );

  test.each(['/tickers/none', '/coins/x/ohlcv/historical', '/tickers/%E0%A4%A', '/tickers/x-dead'])(
    'answers 404 in JSON to the unknown id of %s, and to an inactive one',
    (path) => {
      const { provider } = worldForTest({ coins: [dead] });
      expect(ask(provider, path)).toMatchObject({ status: 404, text: '{"error":"id not found"}' });
      expect(ask(provider, '/tickers').json).toEqual([]);
    },
  );

  test.each(['/nothing', '/coins/btc-bitcoin/ohlcv', '/exchanges'])(
    'answers 404 in text to the route %s',
    (path) => {
      expect(ask(free(), path)).toMatchObject({ status: 404, text: '404 page not found' });
    },
  );

  test('headers are the provider’s, and say that all is simulated', () => {
    expect(ask(free(), '/tickers/btc-bitcoin').headers).toMatchObject({
      'Cache-Control': 'public, max-age=60, s-maxage=60, stale-while-revalidate=10, stale-if-error=600',
      'Last-Modified': 'Tue, 10 Mar 2026 16:42:00 GMT',
      ...{ Age: '31', Server: 'cloudflare', 'X-Data-Source': 'simulated' },
    });
    expect(ask(free(), '/nothing').headers['X-Data-Source']).toBe('simulated');
  });

  test('ticker, running candle and last tick agree at every minute, and stay until the next one', () => {
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

  test('changes are those of the prices that history shows, and the peak is none of them below', () => {
    const { USD } = ask<Ticker>(paid(), '/tickers/sol-solana').json.quotes;
    const before = worldForTest({ plan: 'paid', now: () => NOW - DAY_MS }).provider;
    const then = ask<Ticker>(before, '/tickers/sol-solana').json.quotes.USD.price ?? 0;
    expect(USD.percent_change_24h).toBeCloseTo(((USD.price ?? 0) / then - 1) * 100, 1);
    expect(USD.ath_price).toBeGreaterThanOrEqual(USD.price ?? Infinity);
  });

  test('the free plan has no circulating supply, and the tickers of 2000 coins by rank', () => {
    const key = { authorization: 'key' };
    expect(ask(free(), '/tickers/eth-ethereum', key).json).toHaveProperty('circulating_supply', 120_700_000);
    expect(ask(free(), '/tickers/eth-ethereum').json).not.toHaveProperty('circulating_supply');
    const coins = Array.from({ length: 2100 }, (_, at) => ({
      ...eth,
      id: `c-${at}`,
      rank: at === 5 ? 0 : 2100 - at,
    }));
    const { provider } = worldForTest({ coins });
    const ranks = ask<Ticker[]>(provider, '/tickers', key).json.map(({ rank }) => rank);
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect([ranks.length, ask<Ticker[]>(provider, '/tickers').json.length]).toEqual([2099, 2000]);
  });

  test('figures of all default tickers are positive and finite', () => {
    for (const { quotes } of ask<Ticker[]>(free(), '/tickers').json)
      for (const name of ['price', 'volume_24h', 'market_cap', 'ath_price'])
        expect(quotes.USD[name]).toBeGreaterThan(0);
  });

  test('contracts are those of tokens, each its own address, in upper and lower case', () => {
    const platforms = ask<string[]>(free(), '/contracts').json;
    const lists = platforms.flatMap(
      (id) => ask<{ address: string; id: string }[]>(free(), `/contracts/${id}`).json,
    );
    expect(new Set(lists.map(({ address }) => address)).size).toBe(lists.length);
    expect(lists.length).toBeGreaterThan(new Set(lists.map(({ id }) => id)).size);
    expect(lists.some(({ id }) => id === 'btc-bitcoin')).toBe(false);
    const evm = ask<{ address: string }[]>(free(), '/contracts/eth-ethereum').json.map(
      ({ address }) => address,
    );
    for (const address of evm) expect(address).toMatch(/^0x[\dA-Fa-f]{40}$/);
    expect(evm.some((address) => /[A-F]/.test(address))).toBe(true);
    expect(ask(free(), '/contracts/no-platform').status).toBe(404);
  });
});

describe('candles and ticks', () => {
  test('are the same at every start, others for another seed, whatever else is listed', () => {
    const of = (options: object) =>
      ask(worldForTest({ plan: 'paid', ...options }).provider, `${candles}?start=2025-03-01&limit=30`).json;
    expect(of({ coins: [eth] })).toEqual(of({}));
    expect(of({ seed: 2 })).not.toEqual(of({}));
  });

  test.each(['start=2024-03-01', 'start=2025-08-01&quote=btc', 'start=2026-02-01&interval=1h'])(
    'every candle of %s opens at the close of the one before, and its range holds both',
    (query) => {
      const list = ask<Candle[]>(paid(), `${candles}?limit=366&${query}`).json;
      for (const [index, { open, high, low, close, volume }] of list.entries()) {
        expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
        expect(low).toBeLessThanOrEqual(Math.min(open, close));
        expect(open).toBe(list[index - 1]?.close ?? open);
        expect(Number.isInteger(volume)).toBe(true);
      }
    },
  );

  test.each(['2026-01-14', '2026-03-10'])('the day %s is made of its hours, the running one too', (day) => {
    for (const quote of ['usd', 'btc']) {
      const query = `${candles}?start=${day}&end=${day}&quote=${quote}`;
      const [whole] = ask<Candle[]>(paid(), query).json;
      const hours = ask<Candle[]>(paid(), `${query}&interval=1h&limit=24`).json;
      expect(whole).toMatchObject({
        ...{ open: hours[0]?.open, close: hours.at(-1)?.close, time_close: hours.at(-1)?.time_close },
        high: Math.max(...hours.map(({ high }) => high)),
        low: Math.min(...hours.map(({ low }) => low)),
      });
    }
  });

  test('a candle is stamped with its first and last second, the running one with the last full minute', () => {
    const list = ask<Candle[]>(paid(), `${candles}?start=2026-03-09&limit=10`).json;
    expect(list.map(({ time_open, time_close }) => [time_open, time_close])).toEqual([
      ['2026-03-09T00:00:00Z', '2026-03-09T23:59:59Z'],
      ['2026-03-10T00:00:00Z', '2026-03-10T16:42:00Z'],
    ]);
  });

  test('a tick is the close of the candle that opens at its timestamp', () => {
    for (const [interval, of] of [
      ['1d', '24h'],
      ['1h', '1h'],
    ]) {
      const query = 'start=2026-03-01&limit=300';
      const closes = ask<Candle[]>(paid(), `${candles}?${query}&interval=${of}`).json;
      expect(
        ask<Tick[]>(paid(), `${ticks}?${query}&interval=${interval}`).json.map(({ timestamp, price }) => [
          timestamp,
          price,
        ]),
      ).toEqual(closes.map(({ time_open, close }) => [time_open, close]));
    }
  });

  test('one candle comes unless a limit is sent; dates, times and Unix seconds are taken; none is before the first price', () => {
    const opens = (query: string) =>
      ask<Candle[]>(paid(), `${candles}?${query}`).json.map(({ time_open }) => time_open.slice(8, 10));
    const seconds = Date.UTC(2026, 0, 5) / 1000;
    expect(opens('start=2026-01-05&end=2026-01-07')).toEqual(['05']);
    for (const range of [
      'start=2026-01-05&end=2026-01-07',
      'start=2026-01-05T00:00:00Z&end=2026-01-07T00:00:00.000Z',
      `start=${seconds}&end=${seconds + 2 * 86_400}`,
    ])
      expect(opens(`${range}&limit=9`)).toEqual(['05', '06', '07']);
    expect(opens('start=2026-04-01&limit=9')).toEqual([]);
    const [first] = ask<Candle[]>(paid(), '/coins/sol-solana/ohlcv/historical?start=2019-06-01').json;
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
    'start=2026-01-01&quote=eur',
    'start=2026-01-02&end=2026-01-01',
  ])('answers 400 to ?%s', (query) => {
    expect(ask(paid(), `${candles}?${query}`)).toMatchObject({
      status: 400,
      text: '{"error":"Invalid parameters"}',
    });
  });

  test('pegged coins stay at their peg, and Bitcoin is what it was in September 2025', () => {
    const year = 'start=2025-03-01&limit=366';
    for (const { high, low } of ask<Candle[]>(paid(), `/coins/usdt-tether/ohlcv/historical?${year}`).json)
      expect(Math.max(Math.abs(high - 1), Math.abs(low - 1))).toBeLessThan(0.001);
    const [candle] = ask<Candle[]>(paid(), '/coins/btc-bitcoin/ohlcv/historical?start=2025-09-01').json;
    expect(candle?.open).toBeCloseTo(111_000, 6);
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
    const refused = ask(free(), path);
    expect(refused.json).toEqual({ error: expect.stringMatching(text) });
    expect(refused.status).toBe(402);
    expect(refused.headers['Cache-Control']).toContain('max-age=60');
    const older = worldForTest({ refusalStatus: 400 }).provider;
    expect(ask(older, path)).toMatchObject({ status: 400, text: refused.text });
  });

  test.each([
    ['free', `${candles}?start=2026-03-09T17:00:00Z&limit=2`, 200],
    ['free', `${ticks}?start=2025-03-11&interval=1d`, 200],
    ['free', `${ticks}?start=2026-03-09T17:00:00Z&interval=1h`, 200],
    ['starter', `${candles}?start=2026-02-09`, 200],
    ['starter', `${candles}?start=2026-02-07`, 402],
    ['starter', `${ticks}?start=2021-03-12&interval=1d`, 200],
    ['starter', `${ticks}?start=2021-03-10&interval=1d`, 402],
    ['paid', `${ticks}?start=2020-01-01&interval=1d&limit=5000`, 200],
    ['paid', `${ticks}?start=2020-01-01&interval=1d&limit=5001`, 400],
  ] as const)('the %s plan answers %s with %i', (plan, path, status) => {
    expect(ask(worldForTest({ plan }).provider, path).status).toBe(status);
  });

  test('a raw key makes the plan paid unless told otherwise; a Bearer token is refused', () => {
    const status = (authorization: string, options: object = {}) =>
      ask(worldForTest(options).provider, `${candles}?start=2025-01-01`, { authorization }).status;
    expect([status('key'), status('key', { planWithKey: 'free' }), status('Bearer key')]).toEqual([
      200, 402, 403,
    ]);
  });

  test('the key’s plan counts every request of the month, and none beyond its limit is answered', () => {
    const { provider } = worldForTest({ requestsPerMonth: 3, planWithKey: 'starter' });
    const info = (headers = {}) => ask(provider, '/key/info', headers);
    expect(info().status).toBe(403);
    for (const made of [2, 3])
      expect(info({ authorization: 'key' }).json).toMatchObject({
        plan: 'starter',
        usage: { current_month: { requests_made: made, requests_left: 3 - made } },
      });
    expect(info({ authorization: 'key' })).toMatchObject({ status: 402, text: '' });
  });

  test('more requests in a second than allowed are answered 429', () => {
    let now = NOW;
    const { provider } = worldForTest({ limits: { coinpaprika: 2 }, now: () => now });
    const asked = () => ask(provider, '/tickers/btc-bitcoin');
    expect([asked().status, asked().status, asked().status]).toEqual([200, 200, 429]);
    expect(asked().json).toEqual({ error: 'you have reached maximum request limit' });
    now += 1000;
    expect(asked().status).toBe(200);
  });
});
