import { describe, expect, it } from 'vitest';
import { answered, type GivenAnswer, useTime } from '../../test/providers/answered.ts';
import { windowOf } from '../marketdata/window.ts';
import { coinbase } from './coinbase.ts';

const NOW = Date.UTC(2026, 10, 22, 10, 30);
useTime(NOW);

const hours = (limit: number) => windowOf({ interval: '1h', limit }, NOW);
const at = (hour: number) => Date.UTC(2026, 10, 22, hour) / 1000;
const candles = (body: unknown, limit = 3) =>
  answered(coinbase, (offered) => offered.marketCandles({ market: 'BTC-USD', window: hours(limit) }), {
    body,
  });
const oneQuote = (answer: GivenAnswer) =>
  answered(coinbase, (offered) => offered.quotes(['BTC-USD']), answer);

const product = {
  id: 'BTC-USD',
  base_currency: 'BTC',
  quote_currency: 'USD',
  status: 'online',
  trading_disabled: false,
};

describe('products', () => {
  it('are markets, open if they are online and may be traded in', () => {
    const body = [
      product,
      { ...product, id: 'OLD-USD', base_currency: 'old', status: 'delisted' },
      { ...product, id: 'OFF-USD', base_currency: 'OFF', trading_disabled: true },
    ];

    expect(answered(coinbase, ({ markets }) => markets(), { body })).toEqual([
      { id: 'BTC-USD', base: 'BTC', quote: 'USD', isOpen: true },
      { id: 'OLD-USD', base: 'OLD', quote: 'USD', isOpen: false },
      { id: 'OFF-USD', base: 'OFF', quote: 'USD', isOpen: false },
    ]);
  });
});

describe('candles', () => {
  it('are requested with a start and an end that cover exactly the window', () => {
    const { path } = coinbase.marketCandles({ market: 'BTC-USD', window: hours(300) });
    const query = new URL(path, 'http://x').searchParams;

    expect(path).toMatch(/^\/products\/BTC-USD\/candles\?/);
    expect(query.get('granularity')).toBe('3600');
    const [start = 0, end = 0] = ['start', 'end'].map((name) => Date.parse(query.get(name) ?? ''));
    expect(start).toBe(hours(300).from);
    expect((end - start) / 3_600_000).toBeLessThan(300);
  });

  it('come newest first as time, low, high, open and close; those before the window are left out', () => {
    const body = [
      [at(10), 95, 105, 101, 104, 7],
      [at(8), 90, 110, 100, 101, 5],
      [at(7), 80, 99, 85, 90, 5],
    ];

    expect(candles(body)).toMatchObject([
      { time_open: '2026-11-22T08:00:00Z', open: 100, high: 110, low: 90, close: 101 },
      { time_open: '2026-11-22T10:00:00Z', open: 101, high: 105, low: 95, close: 104 },
    ]);
  });

  it('of a market that no URL can name are not requested', () => {
    for (const market of ['', '.', '..']) {
      expect(() => coinbase.marketCandles({ market, window: hours(1) })).toThrow(
        `Coinbase knows no market ${market}`,
      );
    }
    expect(coinbase.quotes(['a/../b']).path).toBe('/products/a%2F..%2Fb/ticker');
  });
});

describe('last prices', () => {
  it('of one market are its last trade, without a change', () => {
    const time = '2026-11-22T10:29:41.270099Z';
    const body = {
      ask: '1.1',
      bid: '0.9',
      volume: '1207.5',
      trade_id: 1,
      price: '73367.8',
      size: '0.007',
      time,
    };

    expect(oneQuote({ body })).toEqual([
      {
        market: 'BTC-USD',
        price: 73_367.8,
        volume: 1207.5,
        change: null,
        at: Date.parse(time),
        bid: 0.9,
        ask: 1.1,
      },
    ]);
    for (const other of [{ price: '0' }, { price: undefined }, { time: '2026-11-22T09:59:00Z' }])
      expect(oneQuote({ body: { ...body, ...other } })).toEqual([]);
  });

  it('of several markets come in one request, with the change of 24 hours, and without others', () => {
    const day = { open: '80', high: '90', low: '70', last: '84', volume: '12.5' };
    const body = {
      'BTC-USD': { stats_30day: { volume: '1' }, stats_24hour: day },
      'NEW-USD': { stats_24hour: { ...day, open: '0' } },
      'SILENT-USD': { stats_24hour: { volume: '0' } },
      'OTHER-USD': { stats_24hour: { ...day, last: '-1' } },
    };
    const request = coinbase.quotes(['BTC-USD', 'NEW-USD', 'SILENT-USD']);

    expect(request.path).toBe('/products/stats');
    expect(
      answered(coinbase, ({ quotes }) => quotes(['BTC-USD', 'NEW-USD', 'SILENT-USD']), { body }),
    ).toEqual([
      {
        market: 'BTC-USD',
        price: 84,
        volume: 12.5,
        change: expect.closeTo(5, 9),
        at: null,
        high: 90,
        low: 70,
      },
      { market: 'NEW-USD', price: 84, volume: 12.5, change: null, at: null, high: 90, low: 70 },
    ]);
  });
});

describe('a refusal', () => {
  it.each([
    [404, { message: 'NotFound' }, 404, 'Coinbase knows no market BTC-USD'],
    [400, { message: 'granularity too small' }, 502, 'Coinbase answered 400'],
  ])('of status %i with %j is a %i', (status, body, statusCode, message) => {
    expect(() => oneQuote({ status, body })).toThrow(expect.objectContaining({ statusCode, message }));
  });

  it('of all markets at once is a 404, however it is written', () => {
    for (const body of [{ message: 'NotFound' }, '<html>']) {
      expect(() =>
        answered(coinbase, ({ quotes }) => quotes(['BTC-USD', 'ETH-USD']), { status: 404, body }),
      ).toThrow(expect.objectContaining({ statusCode: 404, message: 'Coinbase has no such path' }));
    }
  });
});
