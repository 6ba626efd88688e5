import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { StoreError } from './store-error.ts';

/** What is known of the coins whose past providers were asked for: the content of the object `backfill`. */

export interface FetchNote {
  /** The past up to the beginning of this day is stored. `never`: it is not known; `nothing`: there is none. */
  readonly through: number | 'never' | 'nothing';
  /** When somebody was asked last. Both in milliseconds since the epoch. */
  readonly at: number;
  /** Whether that failed. */
  readonly failed: boolean;
}

export type FetchNotes = ReadonlyMap<string, FetchNote>;

const VERSION = 1;

/**
 * A coin in the note: the first day that is not stored (days since 1970; 0: there is nothing, -1: it is not known), the
 * hour in which it was asked for (hours since 1970), and a 1 if that failed.
 */
type Row = readonly [day: number, hour: number, failed?: 1];

/** The note as JSON; 13,000 coins are 450 KB. */
export function backfillNote(coins: FetchNotes): unknown {
  const rows = [...coins].map(([id, { through, at, failed }]): [string, Row] => {
    const day = through === 'never' ? -1 : through === 'nothing' ? 0 : Math.floor(through / DAY_MS);
    const hour = Math.floor(at / HOUR_MS);
    return [id, failed ? [day, hour, 1] : [day, hour]];
  });
  return { version: VERSION, coins: Object.fromEntries(rows) };
}

/** Throws StoreError if it is not one, or of another version; rows that cannot be read are left out. */
export function readBackfillNote(content: unknown): Map<string, FetchNote> {
  const { version, coins } = isRecord(content) ? content : {};
  const read = new Map<string, FetchNote>();
  if (version !== VERSION || !isRecord(coins))
    throw new StoreError(`Version ${version} of the backfill's note`);
  for (const id in coins) {
    const row = coins[id];
    if (!Array.isArray(row)) continue;
    const [day, hour, failed]: unknown[] = row;
    if (!Number.isSafeInteger(day) || !Number.isSafeInteger(hour)) continue;
    const through = Number(day) < 0 ? 'never' : day === 0 ? 'nothing' : Number(day) * DAY_MS;
    read.set(id, { through, at: Number(hour) * HOUR_MS, failed: failed === 1 });
  }
  return read;
}

/** Of two runs' notes, for each coin the one who asked last; in the same hour, the one who found out more. */
export function mergedCoins(a: FetchNotes, b: FetchNotes): Map<string, FetchNote> {
  const merged = new Map(a);
  for (const [id, asked] of b) {
    const other = merged.get(id);
    if (!other || rankOf(asked) > rankOf(other)) merged.set(id, asked);
  }
  return merged;
}

function rankOf({ through, at, failed }: FetchNote): number {
  const hour = Math.floor(at / HOUR_MS);
  const day = through === 'never' ? 0 : through === 'nothing' ? 1 : 2 + Math.floor(through / DAY_MS);
  return (hour * 2 + (failed ? 0 : 1)) * 1_000_000 + day;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
