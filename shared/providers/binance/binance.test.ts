import { describe, expect, it } from 'vitest';
import { answered, type GivenAnswer, useTime } from '../../../test/providers/answered.ts';
import { windowOf } from '../../marketdata/window.ts';
import { binance } from './index.ts';

const NOW = Date.UTC(2026, 10, 22, 10, 30);
useTime(NOW);

const days = (limit: number) => windowOf({ interval: '24h', limit }, NOW);
const on = (day: number) => Date.UTC(2026, 10, day);
const candlesFrom = (answer: GivenAnswer, limit = 3) =>
  answered(binance, (offered) => offered.marketCandles({ market: 'BTCUSDT', window: days(limit) }), answer);
const symbol = { symbol: 'BTCUSDT', status: 'TRADING', baseAsset: 'BTC', quoteAsset: 'USDT' };

describe('symbols', () => {
  it('are markets, and thousands of a coin are not the coin', () => {
    const symbols = [
      symbol,
      { ...symbol, symbol: '1000SATSUSDT', baseAsset: '1000SATS' },
      { ...symbol, symbol: 'OLDUSDT', baseAsset: 'OLD', status: 'BREAK' },
      { ...symbol, symbol: '币安人生USDT', baseAsset: '币安人生', status: 'HALT' },
    ];

    expect(answered(binance, ({ markets }) => markets(), { body: { timezone: 'UTC', symbols } })).toEqual([
      { id: 'BTCUSDT', base: 'BTC', quote: 'USDT', isOpen: true },
      { id: '1000SATSUSDT', base: '1000SATS', quote: 'USDT', isOpen: true },
      { id: 'OLDUSDT', base: 'OLD', quote: 'USDT', isOpen: false },
      { id: '币安人生USDT', base: '币安人生', quote: 'USDT', isOpen: false },
    ]);
  });
});

describe('candles', () => {
  it('are asked for by the open times of the window', () => {
    const { path, weight } = binance.marketCandles({ market: 'BTCUSDT', window: days(3) });
    expect(path).toBe(
      `/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=${on(20)}&endTime=${on(23) - 1}&limit=3`,
    );
    expect(weight).toBe(2);
  });

  it('come as texts, ascending', () => {
    const row = (day: number) => [
      on(day),
      '100',
      '110',
      '90',
      '101',
      '15',
      on(day + 1) - 1,
      '1',
      9,
      '1',
      '1',
      '0',
    ];

    const found = candlesFrom({ body: [row(20), row(21)] });
    expect(found).toHaveLength(2);
    expect(found[0]).toEqual({
      time_open: '2026-11-20T00:00:00Z',
      time_close: '2026-11-20T23:59:59Z',
      open: 100,
      high: 110,
      low: 90,
      close: 101,
      volume: null,
      market_cap: null,
    });
  });
});

describe('last prices', () => {
  it('are those of the markets that are asked for, for the weight of all', () => {
    const ticker = {
      symbol: 'BTCUSDT',
      lastPrice: '84000.10',
      volume: '1200.25',
      priceChangePercent: '-2.5',
    };
    const body = [ticker, { ...ticker, symbol: 'NEVER', lastPrice: '0.00' }, { symbol: 'OTHER' }];

    expect(binance.quotes([]).weight).toBe(80);
    expect(answered(binance, ({ quotes }) => quotes(['BTCUSDT', 'NEVER']), { body })).toEqual([
      { market: 'BTCUSDT', price: 84_000.1, volume: 1200.25, change: -2.5 },
    ]);
  });
});

describe('a refusal', () => {
  it.each([
    [400, { code: -1121, msg: 'Invalid symbol.' }, 404, 'Binance knows no market BTCUSDT'],
    [400, { code: -1120, msg: 'Invalid interval.' }, 502, 'Binance answered 400: Invalid interval.'],
    [403, '<html>', 502, 'Binance’s firewall refuses the address that asks (403)'],
    [451, { code: 0, msg: 'x' }, 502, 'Binance refuses the region that it is asked from (451)'],
    [500, '', 502, 'Binance answered 500'],
  ])('of status %i with %j is a %i', (status, body, statusCode, message) => {
    expect(() => candlesFrom({ status, body })).toThrow(expect.objectContaining({ statusCode, message }));
  });

  it.each([
    [429, '30', '30'],
    [418, '259200', '259200'],
    [418, '9999999', '259200'],
    [418, '', '120'],
  ])('of status %i that says %j is a limit of %s seconds', (status, asked, told) => {
    const headers = { 'retry-after': asked };
    expect(() => candlesFrom({ status, headers, body: { code: -1003, msg: 'Banned' } })).toThrow(
      expect.objectContaining({ statusCode: 429, headers: { 'retry-after': told } }),
    );
  });
});
