/** The candles in every exchange's answers. */
import { windowOf } from '../../../shared/marketdata/window.ts';

export const DAY_MS = 86_400_000;
export const window = windowOf({ interval: '24h', limit: 12 }, Date.now());
/** Times in milliseconds since the epoch. */
export const rows = Array.from({ length: 12 }, (_, day) => ({
  time: window.from + day * DAY_MS,
  open: 100,
  high: 120,
  low: 90,
  close: 101 + day,
}));
