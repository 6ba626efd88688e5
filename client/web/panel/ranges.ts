import type { ChartRange } from '../../commands/command.ts';
import { maxCandles } from '../../commands/parse/table.ts';

export type Interval = NonNullable<ChartRange['interval']>;

export interface RangeChoice {
  /** Number of candles. */
  readonly limit: number;
  readonly label: string;
}

interface IntervalChoice {
  readonly label: string;
  readonly ranges: readonly RangeChoice[];
  /** The number of candles after switching to the interval. */
  readonly limit: number;
}

/** Intervals and ranges that a card offers, none longer than one request to the provider reaches: 366 days. */
export const intervalChoices: Readonly<Record<Interval, IntervalChoice>> = {
  '1h': {
    label: '1 hour',
    limit: 24,
    ranges: [
      { limit: 24, label: '24 hours' },
      { limit: 72, label: '3 days' },
      { limit: 168, label: '7 days' },
    ],
  },
  '24h': {
    label: '1 day',
    limit: 30,
    ranges: [
      { limit: 7, label: '7 days' },
      { limit: 30, label: '30 days' },
      { limit: 90, label: '90 days' },
      { limit: 180, label: '180 days' },
      { limit: 365, label: '1 year' },
    ],
  },
  '7d': {
    label: '7 days',
    limit: 26,
    ranges: [
      { limit: 12, label: '12 weeks' },
      { limit: 26, label: '26 weeks' },
      { limit: 52, label: '52 weeks' },
    ],
  },
  '14d': {
    label: '14 days',
    limit: 26,
    ranges: [
      { limit: 6, label: '12 weeks' },
      { limit: 13, label: '26 weeks' },
      { limit: 26, label: '52 weeks' },
    ],
  },
  '30d': {
    label: '30 days',
    limit: 12,
    ranges: [
      { limit: 6, label: '180 days' },
      { limit: 12, label: '360 days' },
    ],
  },
  '90d': { label: '90 days', limit: 4, ranges: [{ limit: 4, label: '360 days' }] },
  '365d': { label: '365 days', limit: 1, ranges: [{ limit: 1, label: '1 year' }] },
};

/** The label of a range that is none of the choices. */
export function customLabel({ limit = 30, start, end }: ChartRange): string {
  if (start !== undefined) return end === undefined ? `from ${start}` : `${start} to ${end}`;
  return end === undefined ? `${limit} candles` : `${limit} candles to ${end}`;
}

/** The range with another interval: a time that was asked for stays, a number of candles is chosen anew. */
export function withInterval(range: ChartRange, interval: Interval): ChartRange {
  const limit = range.start === undefined ? intervalChoices[interval].limit : maxCandles;
  return { ...range, interval, limit };
}

/** The last `limit` candles instead of the time that was asked for. */
export function withLimit({ interval, quote }: ChartRange, limit: number): ChartRange {
  return { ...(interval && { interval }), limit, ...(quote && { quote }) };
}
