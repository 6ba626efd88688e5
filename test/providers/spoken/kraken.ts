import { kraken as exchange } from '../../../shared/providers/kraken.ts';
import type { Exchange } from '../../../shared/providers/sources.ts';
import { rows } from './candles.ts';

export const kraken = {
  exchange: exchange as Exchange,
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
} as const;
