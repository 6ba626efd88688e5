import { coinbase as exchange } from '../../../shared/providers/coinbase.ts';
import type { Exchange } from '../../../shared/providers/sources.ts';
import { rows } from './candles.ts';

export const coinbase = {
  exchange: exchange as Exchange,
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
  candles: rows.map(({ time, open, high, low, close }) => [time / 1000, low, high, open, close, 7]).reverse(),
} as const;
