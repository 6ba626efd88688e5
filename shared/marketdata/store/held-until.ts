/** How long a container holds history objects. All times in milliseconds since the epoch. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import type { CandleTable } from './candle-files.ts';
import type { StoredCandle } from './stored-candle.ts';

/** The source of a day's hours: samples or exchanges. */
export type HoursKind = 'hours' | 'exact';

/** The time after which hours are usually published, and days rolled up; until they are, they are looked for again. */
const HOURS_AFTER_MS = 35 * 60_000;
const DAY_AFTER_MS = 45 * 60_000;
/** The earliest time at which a day is rolled up. */
const DAY_BEGINS_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 60_000;
/** How often exchange candles are fetched. */
const EXACT_AGAIN_MS = 10 * 60_000;
/** A younger running hour may not have been fetched yet. */
export const EXACT_LATE_MS = 30 * 60_000;
/** The time for the first exchange to be fetched, which takes a minute or two. */
const MISSING_AGAIN_MS = 30_000;

/**
 * A shard's year or month (`end` is its end): until the next day is merged; briefly, if the last day is not. Additions to past
 * periods come with the merge of a day as well.
 */
export function shardHeldUntil(table: CandleTable | undefined, endsAt: number, now: number): number {
  const today = startOfDay(now);
  const isOver = endsAt + DAY_MS <= today;
  const isMerged = isOver || (table !== undefined && table.time >= today);
  return isMerged ? today + DAY_MS + (isOver ? DAY_AFTER_MS : DAY_BEGINS_MS) : now + LOOK_AGAIN_MS;
}

/** A coin's sampled hours of a day: until there may be one more. */
export function sampledHeldUntil(hours: readonly StoredCandle[], now: number): number {
  const next = (hours.at(-1)?.opensAt ?? 0) + 2 * HOUR_MS + HOURS_AFTER_MS;
  return Math.max(next, now + LOOK_AGAIN_MS);
}

/** A coin's exchange hours: until the next fetch, or the first one of a new hour. */
export function exactHeldUntil(hours: readonly StoredCandle[], day: number, now: number): number {
  const running = now - (now % HOUR_MS);
  if (day !== startOfDay(now)) return now + EXACT_AGAIN_MS;
  const hasRunningHour = (hours.at(-1)?.opensAt ?? 0) >= running;
  if (hasRunningHour) return Math.min(now + EXACT_AGAIN_MS, running + HOUR_MS + MISSING_AGAIN_MS);
  return now + (now - running < EXACT_LATE_MS / 2 ? MISSING_AGAIN_MS : EXACT_AGAIN_MS);
}

/** The table of a day's hours. */
export function dayTableHeldUntil(
  kind: HoursKind,
  table: CandleTable | undefined,
  day: number,
  now: number,
): number {
  // Coins are seldom added, and looking for a missing one costs nothing.
  if (table) return now + HOUR_MS / 4;
  // Without exchanges it does not exist all day.
  const isNew = kind === 'hours' || now - day < HOUR_MS / 2;
  return now + (isNew ? LOOK_AGAIN_MS : EXACT_AGAIN_MS);
}

export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}
