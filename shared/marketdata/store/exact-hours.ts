import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { listed } from '../candles.ts';
import { closed, foldCandles, SAMPLED_SHARE, sampledSoFar } from './fold-samples.ts';
import { filled, joined, type StoredCandle } from './stored-candle.ts';

/**
 * Exchange candles are fetched every ten minutes. Samples extend an hour that was fetched before its end; if it is not fetched again
 * for this long, it counts no more than its samples.
 */
export const EXACT_LATE_MS = 30 * 60_000;

/**
 * A day's hours from exchanges and from samples. Both ascending; times in milliseconds since the epoch. An hour that is over is
 * settled: this is as much as is known of it until its source is asked again.
 */
export function withExact(
  exact: readonly StoredCandle[],
  sampled: readonly StoredCandle[],
  now: number,
): readonly StoredCandle[] {
  const byTime = new Map(sampled.map((hour) => [hour.opensAt, hour]));
  const upToDate = exact.map((hour) => broughtUp(hour, byTime.get(hour.opensAt), now));
  return settledAt(now, joined(upToDate, sampled));
}

/** Hours, of which those that are over are settled. */
export function settledAt(now: number, hours: readonly StoredCandle[]): readonly StoredCandle[] {
  const isOver = ({ opensAt, isSettled }: StoredCandle) => !isSettled && opensAt + HOUR_MS <= now;
  return hours.some(isOver)
    ? hours.map((hour) => (isOver(hour) ? { ...hour, isSettled: true } : hour))
    : hours;
}

/** An exchange's hour, extended by samples if it was fetched before its end. */
function broughtUp(exact: StoredCandle, sampled: StoredCandle | undefined, now: number): StoredCandle {
  if (exact.isSettled) return exact;
  const isBehind = now - exact.lastAt > EXACT_LATE_MS;
  if (!sampled || sampled.lastAt <= exact.lastAt) return isBehind ? { ...exact, quality: 'derived' } : exact;
  const { samples, quality } = isBehind ? sampled : exact;
  return {
    ...exact,
    high: Math.max(exact.high, sampled.high),
    low: Math.min(exact.low, sampled.low),
    close: sampled.close,
    lastAt: sampled.lastAt,
    isSettled: sampled.isSettled,
    samples,
    quality,
    source: listed(exact.source, sampled.source),
  };
}

interface DayOptions {
  readonly intervalMs: number;
  /** The end of the data: now, or the end of days that are over. */
  readonly until: number;
}

/**
 * The candle of a day from its ascending hours; undefined without any. It is `exact` if all hours are and none is missing; the
 * running hour, not fetched from exchanges yet, only extends it. With mixed hours it is `sampled` if they leave out no more of the
 * day than a sampled candle may.
 */
export function dayOf(
  hours: readonly StoredCandle[],
  { intervalMs, until }: DayOptions,
): StoredCandle | undefined {
  const candle = foldCandles(hours, { stepMs: DAY_MS, shorterMs: HOUR_MS, until });
  if (!candle) return undefined;
  const isOver = candle.opensAt + DAY_MS <= until;
  if (!hours.some(isExact))
    return isOver ? closed(candle, intervalMs, DAY_MS) : sampledSoFar(candle, intervalMs);
  const lastOpened = isOver ? candle.opensAt + DAY_MS - HOUR_MS : (hours.at(-1)?.opensAt ?? 0);
  const isWhole = hours.length === (lastOpened - candle.opensAt) / HOUR_MS + 1;
  const isDue = ({ opensAt }: StoredCandle) => isOver || until - opensAt > EXACT_LATE_MS;
  if (isWhole && hours.every((hour) => isExact(hour) || !isDue(hour))) return { ...candle, quality: 'exact' };
  const lengthMs = isOver ? DAY_MS : candle.lastAt - candle.opensAt;
  const coveredMs = hours.reduce((sum, hour) => sum + coveredMsOf(hour, intervalMs), 0);
  return { ...candle, quality: coveredMs >= lengthMs * SAMPLED_SHARE ? 'sampled' : 'derived' };
}

/** A day's candle with the amounts from samples. */
export function dayWithAmounts(
  day: StoredCandle,
  sampled: readonly StoredCandle[],
  until: number,
): StoredCandle {
  const other = foldCandles(sampled, { stepMs: DAY_MS, shorterMs: HOUR_MS, until });
  return other ? filled(day, other) : day;
}

function isExact({ quality }: StoredCandle): boolean {
  return quality === 'exact';
}

function coveredMsOf(hour: StoredCandle, intervalMs: number): number {
  return isExact(hour) ? hour.lastAt - hour.opensAt : hour.samples * intervalMs;
}
