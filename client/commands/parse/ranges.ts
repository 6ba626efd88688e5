import type { ChartRange } from '../command.ts';

/** The values of `--range`, and the buttons of a chart: how many candles of which interval. */
export const ranges = {
  '1d': { interval: '1h', limit: 24 },
  '7d': { interval: '1h', limit: 168 },
  '1m': { interval: '24h', limit: 30 },
  '3m': { interval: '24h', limit: 90 },
  '1y': { interval: '24h', limit: 365 },
  /** `wholeRange` has the interval for what there is of a coin; 14 days are the guess without a beginning. */
  all: { interval: '14d', limit: 366 },
} as const satisfies Readonly<Record<string, ChartRange>>;

export type RangeName = keyof typeof ranges;

export const rangeNames = Object.keys(ranges) as readonly RangeName[];

/** The name of a range; undefined if it has none. */
export function rangeNameOf({ interval = '24h', limit = 30, start, end }: ChartRange): RangeName | undefined {
  if (start !== undefined || end !== undefined) return undefined;
  return rangeNames.find((name) => ranges[name].interval === interval && ranges[name].limit === limit);
}

const DAY_MS = 86_400_000;
const MAX_CANDLES = 366;

/** All candles since a time, in one request: of the shortest interval that reaches back so far. */
export function wholeRange(since: string | null | undefined, now: number): ChartRange {
  const age = (now - Date.parse(since ?? '')) / DAY_MS;
  if (Number.isNaN(age)) return ranges.all;
  const days = ([1, 7, 14] as const).find((length) => age < length * (MAX_CANDLES - 1)) ?? 30;
  return { interval: days === 1 ? '24h' : `${days}d`, limit: MAX_CANDLES };
}
