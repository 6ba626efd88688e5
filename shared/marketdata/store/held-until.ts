/** How long a container holds history objects: what is closed until the next day is due to be merged, all else for a minute. */
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts';
import type { CandleTable } from './candle-files.ts';
import { KEPT_DAYS } from './names.ts';

/** An object that may change is read again after this time, if it has changed. */
export const OPEN_HELD_MS = MINUTE_MS;
/** A day is merged into the shards from this time after its end on: by then its last hour is complete. */
export const MERGED_AFTER_MS = 20 * MINUTE_MS;

/**
 * A shard's table for a period that ends at a time: it is closed once all days of the period that are over are merged, or if none
 * can be any more. All times in milliseconds since the epoch.
 */
export function shardHeldUntil(
  table: Pick<CandleTable, 'time'> | undefined,
  periodEnds: number,
  now: number,
): number {
  const today = startOfDay(now);
  const isMerged = table !== undefined && table.time >= Math.min(periodEnds, today);
  const isClosed = isMerged || periodEnds + KEPT_DAYS * DAY_MS <= now;
  return isClosed ? today + DAY_MS + MERGED_AFTER_MS : now + OPEN_HELD_MS;
}

export function startOfDay(time: number): number {
  return Math.floor(time / DAY_MS) * DAY_MS;
}
