/** The names of the stored objects below the prefix. Ids are percent-encoded, because they may hold anything. */
import { crc32 } from '../binary-file.ts';
import type { BaseInterval } from '../window.ts';

export const HISTORY_PREFIX = 'history/';
/** For so many days, at most, its bucket keeps what was overwritten or deleted (docs/operations.md). */
export const VERSION_DAYS = 30;
/** For so many days samples and the hours of a day are kept. */
export const KEPT_DAYS = 35;

/**
 * The versions of the formats. Each is part of the names of its objects: code of another version, during a deployment or
 * after a rollback, does not see them and leaves them alone.
 */
export const versions = {
  samples: 3,
  candles: 1,
  coins: 1,
  week: 1,
  rolledUp: 2,
  past: 1,
} as const;
const kinds = {
  samples: `samples.v${versions.samples}/`,
  days: `days.v${versions.candles}/`,
  hours: `hours.v${versions.candles}/`,
  dayHours: `day-hours.v${versions.candles}/`,
  dayExact: `day-exact.v${versions.candles}/`,
  coins: `coins.v${versions.coins}/`,
} as const;

const MAX_ENCODED = 800;
const YEAR_CHARACTERS = 4;
const MONTH_CHARACTERS = 7;
const DAY_CHARACTERS = 10;

/**
 * Coins lie together in so many objects: with more of them each roll-up would put more, with fewer an object of 100,000
 * coins would be too large to be replaced each day.
 */
const SHARDS = 64;
export const shards: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => twoDigits(shard));

export const objectNames = {
  /**
   * One for each run of the snapshot's job, by the slot in which the provider made its answer; another one for what a
   * run asked a source of token prices for, with its name.
   */
  samples: (takenAt: number, intervalMs: number, tokenSource?: string) =>
    `${kinds.samples}${new Date(Math.floor(takenAt / intervalMs) * intervalMs).toISOString().slice(0, 16).replace('T', '/').replace(':', '')}${tokenSource === undefined ? '' : `-${tokenSource}`}`,
  samplesOfDay: (day: number) => `${kinds.samples}${dayText(day)}/`,
  /** The hours of a day as they were sampled, of all coins. */
  hours: (day: number) => `${kinds.dayHours}${dayText(day)}`,
  /** Those that exchanges have. */
  exact: (day: number) => `${kinds.dayExact}${dayText(day)}`,
  /** The days of a year, of all coins of a shard. */
  days: (time: number, shard: string) => `${kinds.days}${yearText(time)}/${shard}`,
  /** The hours of a month, of all coins of a shard. */
  monthHours: (time: number, shard: string) => `${kinds.hours}${monthText(time)}/${shard}`,
  /** All of one length of candles, by year or month. */
  allSeries: (base: BaseInterval) => (base === '24h' ? kinds.days : kinds.hours),
  /** Where the candles of a coin at a time are. */
  series: (base: BaseInterval, id: string, time: number) => seriesName(base, time, shardOf(id)),
  /** What was fetched of a coin and is not in the shards yet. */
  coin: (id: string) => `${kinds.coins}${encoded(id)}`,
  coins: kinds.coins,
  /** The closes of the last week's hours, of all listed coins. */
  week: `week.v${versions.week}`,
  /** The last day that is rolled up. */
  rolledUp: `rolled-up.v${versions.rolledUp}`,
  /** The coins whose past sources were asked for, and up to when. */
  past: `past.v${versions.past}`,
} as const;

export function seriesName(base: BaseInterval, time: number, shard: string): string {
  return base === '24h' ? objectNames.days(time, shard) : objectNames.monthHours(time, shard);
}

/** The shard that a coin's candles are in. */
export function shardOf(id: string): string {
  return shardOfCoin(objectNames.coin(id));
}

/** The same by the name of its object. */
export function shardOfCoin(name: string): string {
  return twoDigits(crc32(Buffer.from(name)) % SHARDS);
}

/** The year or month of a time, that one object has the candles of: its beginning, and the next one's. */
export function periodOf(base: BaseInterval, time: number): { readonly from: number; readonly to: number } {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return base === '24h'
    ? { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) }
    : { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
}

/** The years or months that a span touches, ascending; each with its part of the span. */
export function periodsIn(
  base: BaseInterval,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly from: number; readonly to: number }[] {
  const parts: { from: number; to: number }[] = [];
  for (let time = from; time < to; ) {
    const end = Math.min(periodOf(base, time).to, to);
    parts.push({ from: time, to: end });
    time = end;
  }
  return parts;
}

/** The year or month of a name of a shard's candles, as `Date.parse` reads it. */
export function periodNamed(name: string): string {
  return name.split('/')[1] ?? '';
}

/** The shard of such a name. */
export function shardNamed(name: string): string {
  return name.split('/')[2] ?? '';
}

/** The kind of candles that an object of that name has; undefined for any other object. */
export function kindOf(name: string): 'series' | 'day' | undefined {
  if (name.startsWith(kinds.days) || name.startsWith(kinds.hours)) return 'series';
  return name.startsWith(kinds.dayHours) || name.startsWith(kinds.dayExact) ? 'day' : undefined;
}

/** The length of the candles in an object of candles. */
export function baseOf(name: string): BaseInterval {
  return name.startsWith(kinds.days) ? '24h' : '1h';
}

/** The beginning of the slot that a name of samples tells. NaN for any other name. */
export function slotOf(name: string): number {
  const [, day, hour, minute] = /^samples\.v\d+\/([\d-]{10})\/(\d\d)(\d\d)(?:-[a-z\d]+)?$/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}Z`);
}

/** The source of token prices whose samples have that name; undefined for those of the snapshot's job. */
export function tokenSourceOf(name: string): string | undefined {
  return /^samples\.v\d+\/.*-([a-z\d]+)$/.exec(name)?.[1];
}

export function dayText(time: number): string {
  return new Date(time).toISOString().slice(0, DAY_CHARACTERS);
}

function monthText(time: number): string {
  return new Date(time).toISOString().slice(0, MONTH_CHARACTERS);
}

function yearText(time: number): string {
  return new Date(time).toISOString().slice(0, YEAR_CHARACTERS);
}

function twoDigits(shard: number): string {
  return String(shard).padStart(2, '0');
}

/** `~` in front keeps the ids `.` and `..` from being dot segments of a path; S3's keys end at 1,024 bytes. */
function encoded(id: string): string {
  const name = `~${encodeURIComponent(id.toWellFormed())}`;
  if (name.length <= MAX_ENCODED) return name;
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256').update(id).digest('hex');
  return `${name.slice(0, MAX_ENCODED - digest.length)}~${digest}`;
}
