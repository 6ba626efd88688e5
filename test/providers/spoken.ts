/** Every exchange's proper answers to the same questions, small, in its own shape. */
import { windowOf } from '../../shared/marketdata/window.ts';
import { binance } from '../../shared/providers/binance.ts';
import { coinbase } from '../../shared/providers/coinbase.ts';
import { kraken } from '../../shared/providers/kraken.ts';
import type { Exchange } from '../../shared/providers/sources.ts';

const DAY_MS = 86_400_000;
/** Of the candles. */
export const window = windowOf({ interval: '24h', limit: 12 }, Date.now());
/** What all of their candles say; times in milliseconds since the epoch. */
export const rows = Array.from({ length: 12 }, (_, day) => ({
  time: window.from + day * DAY_MS,
  open: 100,
  high: 120,
  low: 90,
  close: 101 + day,
}));

export const spoken = [
  {
    exchange: coinbase as Exchange,
    market: 'BTC-USD',
    other: 'ETH-USD',
    markets: ['BTC-USD', 'ETH-USD'].map((id) => ({
      id,
      base_currency: id.slice(0, 3),
      quote_currency: 'USD',
      status: 'online',
      trading_disabled: false,
    })),
    quotes: Object.fromEntries(
      ['BTC-USD', 'ETH-USD'].map((id) => [id, { stats_24hour: { open: '90', last: '100', volume: '5' } }]),
    ),
    candles: rows
      .map(({ time, open, high, low, close }) => [time / 1000, low, high, open, close, 7])
      .reverse(),
  },
  {
    exchange: kraken as Exchange,
    market: 'XXBTZUSD',
    other: 'XETHZUSD',
    markets: {
      error: [],
      result: {
        XXBTZUSD: { wsname: 'XBT/USD', status: 'online' },
        XETHZUSD: { wsname: 'ETH/USD', status: 'online' },
      },
    },
    quotes: {
      error: [],
      result: {
        XXBTZUSD: { a: ['101', '1'], b: ['99', '1'], c: ['100', '1'], v: ['1', '5'] },
        XETHZUSD: { a: ['11', '1'], b: ['9', '1'], c: ['10', '1'], v: ['1', '5'] },
      },
    },
    candles: {
      error: [],
      result: {
        XXBTZUSD: rows.map(({ time, open, high, low, close }) => [
          time / 1000,
          ...[open, high, low, close, open, 7].map(String),
          3,
        ]),
        last: 1,
      },
    },
  },
  {
    exchange: binance as Exchange,
    market: 'BTCUSDT',
    other: 'ETHUSDT',
    markets: {
      symbols: ['BTC', 'ETH'].map((baseAsset) => ({
        symbol: `${baseAsset}USDT`,
        status: 'TRADING',
        baseAsset,
        quoteAsset: 'USDT',
      })),
    },
    quotes: ['BTCUSDT', 'ETHUSDT'].map((symbol) => ({
      symbol,
      lastPrice: '100',
      volume: '5',
      openPrice: '98',
      closeTime: Date.now(),
    })),
    candles: rows.map(({ time, open, high, low, close }) => [
      time,
      ...[open, high, low, close, 7].map(String),
      time + DAY_MS - 1,
      ...['700', '9', '4', '400'],
    ]),
  },
] as const;
