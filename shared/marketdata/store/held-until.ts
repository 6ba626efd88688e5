/** Until when a container holds what it has read of the history. All times in milliseconds since the epoch. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import type { CandleTable } from './candle-files.ts';
import type { StoredCandle } from './stored-candle.ts';

/** Whose hours of a day: our own samples', or those of exchanges. */
export type HoursKind = 'hours' | 'exact';

/** By then the hours are published, and the days rolled up, most of the time; until they are, they are looked for again. */
const HOURS_AFTER_MS = 35 * 60_000;
const DAY_AFTER_MS = 45 * 60_000;
/** No day is rolled up before. */
const DAY_BEGINS_MS = 10 * 60_000;
const LOOK_AGAIN_MS = 60_000;
/** Exchanges are asked so often. */
const EXACT_AGAIN_MS = 10 * 60_000;
/** A running hour that is younger may have been told by nobody yet. */
export const EXACT_LATE_MS = 30 * 60_000;
/** Until the first exchange tells of it, which takes a minute or two. */
const UNTOLD_AGAIN_MS = 30_000;

/**
 * A shard's year or month, that ends at a time: until the next day is merged; soon, if the last one is not. What is
 * added to a period that is over comes with a day as well.
 */
export function shardHeldUntil(table: CandleTable | undefined, endsAt: number, now: number): number {
  const today = startOfDay(now);
  const isOver = endsAt + DAY_MS <= today;
  const isMerged = isOver || (table !== undefined && table.time >= today);
  return isMerged ? today + DAY_MS + (isOver ? DAY_AFTER_MS : DAY_BEGINS_MS) : now + LOOK_AGAIN_MS;
}

/** A coin's hours of a day that are made of samples: until there may be one more. */
export function sampledHeldUntil(hours: readonly StoredCandle[], now: number): number {
  const next = (hours.at(-1)?.opensAt ?? 0) + 2 * HOUR_MS + HOURS_AFTER_MS;
  return Math.max(next, now + LOOK_AGAIN_MS);
}

/** Those that exchanges tell: until they have been asked again, or for the first time in an hour. */
export function exactHeldUntil(hours: readonly StoredCandle[], day: number, now: number): number {
  const running = now - (now % HOUR_MS);
  if (day !== startOfDay(now)) return now + EXACT_AGAIN_MS;
  const isTold = (hours.at(-1)?.opensAt ?? 0) >= running;
  if (isTold) return Math.min(now + EXACT_AGAIN_MS, running + HOUR_MS + UNTOLD_AGAIN_MS);
  return now + (now - running < EXACT_LATE_MS / 2 ? UNTOLD_AGAIN_MS : EXACT_AGAIN_MS);
}

/** Where the hours of a day are. */
export function dayTableHeldUntil(
  kind: HoursKind,
  table: CandleTable | undefined,
  day: number,
  now: number,
): number {
  // Coins are added to it seldom, and one that is not in it costs nothing to look for.
  if (table) return now + HOUR_MS / 4;
  // Without exchanges there is none all day long.
  const isNew = kind === 'hours' || now - day < HOUR_MS / 2;
  return now + (isNew ? LOOK_AGAIN_MS : EXACT_AGAIN_MS);
}

export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}
