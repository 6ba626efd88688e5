import { describe, expect, it } from 'vitest';
import { answered, type GivenAnswer, useTime } from '../../test/providers/answered.ts';
import { windowOf } from '../marketdata/window.ts';
import { binance } from './binance.ts';

const NOW = Date.UTC(2026, 10, 22, 10, 30);
useTime(NOW);

const days = (limit: number) => windowOf({ interval: '24h', limit }, NOW);
const on = (day: number) => Date.UTC(2026, 10, day);
const candlesFrom = (answer: GivenAnswer) =>
  answered(binance, (offered) => offered.marketCandles({ market: 'BTCUSDT', window: days(3) }), answer);
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
  it('are requested by the open times of the window', () => {
    const { path, weight } = binance.marketCandles({ market: 'BTCUSDT', window: days(3) });
    expect(path).toBe(
      `/api/v3/klines?symbol=BTCUSDT&interval=1d&startTime=${on(20)}&endTime=${on(23) - 1}&limit=3`,
    );
    expect(weight).toBe(2);
  });
});

describe('last prices', () => {
  it('are those of the requested markets, for the weight of all', () => {
    const ticker = {
      symbol: 'BTCUSDT',
      lastPrice: '84000.10',
      volume: '1200.25',
      openPrice: '80000.10',
      priceChangePercent: '-2.5',
      closeTime: NOW - 1000,
    };
    const body = [ticker, { ...ticker, symbol: 'NEVER', lastPrice: '0.00' }, { symbol: 'OTHER' }];

    expect(binance.quotes([]).weight).toBe(80);
    expect(answered(binance, ({ quotes }) => quotes(['BTCUSDT', 'NEVER']), { body })).toEqual([
      { market: 'BTCUSDT', price: 84_000.1, volume: 1200.25, change: expect.closeTo(5, 3), at: NOW - 1000 },
    ]);
  });
});

describe('a refusal', () => {
  it.each([
    [400, { code: -1121, msg: 'Invalid symbol.' }, 404, 'Binance knows no market BTCUSDT'],
    [400, { code: -1120, msg: 'Invalid interval.' }, 502, 'Binance answered 400 (error -1120)'],
    [400, { code: 'a-key', msg: 'a-key' }, 502, 'Binance answered 400'],
  ])('of status %i with %j is a %i', (status, body, statusCode, message) => {
    expect(() => candlesFrom({ status, body })).toThrow(expect.objectContaining({ statusCode, message }));
  });
});
