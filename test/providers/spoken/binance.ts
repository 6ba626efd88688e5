import { binance as exchange } from '../../../shared/providers/binance.ts';
import type { Exchange } from '../../../shared/providers/sources.ts';
import { DAY_MS, rows } from './candles.ts';

export const binance = {
  exchange: exchange as Exchange,
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
} as const;
