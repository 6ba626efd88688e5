/**
 * Which candles a request should get, worked out by listing days and hours from a calendar instead of by arithmetic
 * with windows: what the code under test does in one way is done here in another.
 */
import type { WindowParameters } from '../../shared/marketdata/window.ts';

export interface ExpectedCandle {
  /** Opening times of its base intervals, ascending; milliseconds since the epoch. */
  readonly opens: readonly number[];
  /** Base intervals that a whole candle has. */
  readonly size: number;
}

const sizes = { '1h': 1, '24h': 1, '7d': 7, '14d': 14, '30d': 30, '90d': 90, '365d': 365 } as const;
/** The most base intervals of an answer. */
const MOST = 366;

/** The calendar's hours or days up to the one that runs at `now`, newest first, as many as any request may need. */
function* opensBefore(now: number, isHourly: boolean): Generator<number> {
  const date = new Date(now);
  const [year, month, day, hour] = [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    isHourly ? date.getUTCHours() : 0,
  ];
  for (let back = 0; ; back += 1) {
    yield isHourly ? Date.UTC(year, month, day, hour - back) : Date.UTC(year, month, day - back);
  }
}

/** When the base interval that opened then closes. */
export function closeOf(open: number, isHourly: boolean): number {
  const date = new Date(open);
  const hour = date.getUTCHours();
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return isHourly ? Date.UTC(year, month, day, hour + 1) : Date.UTC(year, month, day + 1);
}

/** A date stands for its whole day, a time for itself. */
function spanOf(text: string): { readonly first: number; readonly end: number } {
  const first = Date.parse(text);
  return { first, end: text.length === 10 ? closeOf(first, false) : first };
}

/** The candles of a request at a moment, oldest first. */
export function expectedCandles(
  { interval, limit, start, end }: WindowParameters,
  now: number,
): ExpectedCandle[] {
  const isHourly = interval === '1h';
  const size = sizes[interval];
  const most = Math.min(limit, Math.floor(MOST / size)) * size;
  const from = start === undefined ? Number.NEGATIVE_INFINITY : spanOf(start).first;
  const to = end === undefined ? Number.POSITIVE_INFINITY : spanOf(end).end;
  const opens: number[] = [];
  for (const open of opensBefore(now, isHourly)) {
    const isLastOfAll = closeOf(open, isHourly) <= from;
    if (isLastOfAll || (start === undefined && opens.length === most)) break;
    // The interval in which the request begins is part of it, even if it also ends there.
    const isFirst = open <= from;
    if (open < to || isFirst) opens.unshift(open);
  }
  const taken = start === undefined ? opens : opens.slice(0, most);
  const candles: ExpectedCandle[] = [];
  for (let last = taken.length; last > 0; last -= size) {
    candles.unshift({ opens: taken.slice(Math.max(0, last - size), last), size });
  }
  return candles;
}
