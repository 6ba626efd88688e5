import type { ChartRange } from '../command.ts';

/** The values of `--range`, and the buttons of a chart: how many candles of which interval. */
export const ranges = {
  '1d': { interval: '1h', limit: 24 },
  '7d': { interval: '1h', limit: 168 },
  '1m': { interval: '24h', limit: 30 },
  '3m': { interval: '24h', limit: 90 },
  '1y': { interval: '24h', limit: 365 },
  all: { interval: '14d', limit: 366 },
} as const satisfies Readonly<Record<string, ChartRange>>;

export type RangeName = keyof typeof ranges;

export const rangeNames = Object.keys(ranges) as readonly RangeName[];
