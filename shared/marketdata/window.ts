import { invalidParameter } from '../http/middleware/input.ts';
import { type Instant, parseInstant } from '../platform/instant.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';

/** The provider's candles, which all intervals are folded from. */
export type BaseInterval = '1h' | '24h';

/** Each folded from `size` base candles. */
export const intervals = {
  '1h': { base: '1h', size: 1 },
  '24h': { base: '24h', size: 1 },
  '7d': { base: '24h', size: 7 },
  '14d': { base: '24h', size: 14 },
  '30d': { base: '24h', size: 30 },
  '90d': { base: '24h', size: 90 },
  '365d': { base: '24h', size: 365 },
} as const satisfies Record<string, { base: BaseInterval; size: number }>;

export type Interval = keyof typeof intervals;

/** A run of base candles. Times in milliseconds since the epoch, multiples of `stepMs`, UTC. */
export interface Span {
  readonly base: BaseInterval;
  readonly stepMs: number;
  /** `time_open` of the first base candle. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** False if the running interval is part of it. */
  readonly closed: boolean;
}

/** The base candles of a response. */
export interface Window extends Span {
  /** Base candles per candle. */
  readonly size: number;
  /** True if the request has no times and wants the latest data. */
  readonly latest: boolean;
}

/** One request to the provider returns at most this many candles, and one chart costs one request. */
export const MAX_BASE_CANDLES = 366;

export interface WindowParameters {
  readonly interval: Interval;
  readonly limit: number;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

/**
 * The requested window. With start, at most `limit` intervals from there up to end or now; otherwise the last `limit`
 * intervals, the running one included. Throws 400 naming the parameter for a malformed time, a start in the future, or a
 * start after end.
 */
export function windowOf({ interval, limit, start, end }: WindowParameters, now: number): Window {
  const { base, size } = intervals[interval];
  const stepMs = stepOf(base);
  const first = start === undefined ? undefined : instant('start', start);
  const last = end === undefined ? undefined : instant('end', end);
  if (first && first.first > now) throw invalidParameter('start', start, 'a time that is not in the future');
  if (first && last && first.first > last.first && first.first >= last.end)
    throw invalidParameter('start', start, `a time before end (${end})`);

  const nextClose = closeAfter(now, base);
  const latest = Math.min(nextClose, last ? Math.ceil(last.end / stepMs) * stepMs : nextClose);
  const candles = Math.min(limit, Math.floor(MAX_BASE_CANDLES / size));
  const span = candles * size * stepMs;
  const from = first ? Math.floor(first.first / stepMs) * stepMs : latest - span;
  // An end equal to start includes the candle that opens there, because the provider refuses an empty window.
  const to = first ? Math.max(from + stepMs, Math.min(from + span, latest)) : latest;
  return { base, stepMs, size, from, to, closed: to < nextClose, latest: !first && !last };
}

/** The window of candles of `size` base candles within any span of time, up to the running one. */
export function windowBetween(
  { base, size, from, to }: Pick<Window, 'base' | 'size' | 'from' | 'to'>,
  now: number,
): Window {
  const stepMs = stepOf(base);
  const longMs = stepMs * size;
  const running = closeAfter(now, base);
  const last = Math.ceil(running / longMs) * longMs;
  const end = Math.min(Math.ceil(to / longMs) * longMs, last);
  const first = Math.min(Math.floor(from / longMs) * longMs, end - longMs);
  return { base, stepMs, size, from: first, to: end, closed: end < running, latest: end === last };
}

function instant(name: string, text: string): Instant {
  const parsed = parseInstant(text);
  if (parsed) return parsed;
  const allowed = 'an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z';
  throw invalidParameter(name, text, allowed);
}

function stepOf(base: BaseInterval): number {
  return base === '1h' ? HOUR_MS : DAY_MS;
}

/** When the base interval that runs at `time` closes. */
export function closeAfter(time: number, base: BaseInterval): number {
  const stepMs = stepOf(base);
  return (Math.floor(time / stepMs) + 1) * stepMs;
}
