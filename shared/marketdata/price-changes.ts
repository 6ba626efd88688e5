import type { Ticker } from './ticker.ts';

/** The changes of a price in percent, with their lengths in minutes. */
export const changeMinutes = {
  percent_change_15m: 15,
  percent_change_30m: 30,
  percent_change_1h: 60,
  percent_change_6h: 6 * 60,
  percent_change_12h: 12 * 60,
  percent_change_24h: 24 * 60,
  percent_change_7d: 7 * 24 * 60,
  percent_change_30d: 30 * 24 * 60,
  percent_change_1y: 365 * 24 * 60,
} as const satisfies Partial<Record<keyof Ticker['quotes']['USD'], number>>;
