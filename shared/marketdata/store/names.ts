/** The names of the stored objects below the prefix. Ids are percent-encoded, because they may hold anything. */
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { crc32 } from '../binary-file.ts';
import type { BaseInterval } from '../window.ts';

export const HISTORY_PREFIX = 'history/';
/** The most days for which the bucket keeps overwritten or deleted objects (docs/operations.md). */
export const VERSION_DAYS = 30;
/** No price of any coin is older (bitcoin's first exchange). */
export const FIRST_DAY = Date.UTC(2010, 0);
/** Days for which hourly candles are kept. */
export const HOURS_KEPT_DAYS = 730;
/** Days for which samples and the hours of a day are kept. */
export const KEPT_DAYS = 35;

/**
 * The versions of the formats. Each is part of the names of its objects: code of another version, during a deployment or
 * after a rollback, does not see them and leaves them alone.
 */
export const versions = {
  samples: 4,
  candles: 2,
  coins: 2,
  fetched: 1,
  week: 1,
  rolledUp: 3,
  past: 2,
} as const;
const kinds = {
  samples: `samples.v${versions.samples}/`,
  days: `days.v${versions.candles}/`,
  hours: `hours.v${versions.candles}/`,
  dayHours: `day-hours.v${versions.candles}/`,
  dayExact: `day-exact.v${versions.candles}/`,
  coins: `coins.v${versions.coins}/`,
  fetched: `fetched.v${versions.fetched}/`,
} as const;

const MAX_ENCODED = 800;
const YEAR_CHARACTERS = 4;
const MONTH_CHARACTERS = 7;
const DAY_CHARACTERS = 10;

/**
 * The number of objects that coins share: with more, each roll-up would put more; with fewer, an object of 100,000 coins would be
 * too large to replace each day.
 */
const SHARDS = 64;
export const shards: readonly string[] = Array.from({ length: SHARDS }, (_, shard) => twoDigits(shard));

export const objectNames = {
  /**
   * One object for each run of the snapshot's job, by the slot of the provider's time; another for each run of a token price source,
   * with its name.
   */
  samples: (takenAt: number, intervalMs: number, tokenSource?: string) =>
    `${kinds.samples}${new Date(Math.floor(takenAt / intervalMs) * intervalMs).toISOString().slice(0, 16).replace('T', '/').replace(':', '')}${tokenSource === undefined ? '' : `-${tokenSource}`}`,
  samplesOfDay: (day: number) => `${kinds.samples}${dayText(day)}/`,
  /** The sampled hours of a day, of all coins. */
  hours: (day: number) => `${kinds.dayHours}${dayText(day)}`,
  /** The exchange hours of a day. */
  exact: (day: number) => `${kinds.dayExact}${dayText(day)}`,
  /** The days of a year, of all coins of a shard. */
  days: (time: number, shard: string) => `${kinds.days}${yearText(time)}/${shard}`,
  /** The hours of a month, of all coins of a shard. */
  monthHours: (time: number, shard: string) => `${kinds.hours}${monthText(time)}/${shard}`,
  /** All objects of one candle length, by year or month. */
  allSeries: (base: BaseInterval) => (base === '24h' ? kinds.days : kinds.hours),
  /** The shard with a coin's candles at a time. */
  series: (base: BaseInterval, id: string, time: number) => seriesName(base, time, shardOf(id)),
  /** The candles that were fetched for a coin. */
  coin: (id: string) => `${kinds.coins}${encoded(id)}`,
  coins: kinds.coins,
  /** What else was fetched for a coin: its ticker, and what its provider does not have. */
  fetched: (id: string) => `${kinds.fetched}${encoded(id)}`,
  /** The closes of the last week's hours, of all listed coins. */
  week: `week.v${versions.week}`,
  /** The closes of the last week's hours that the job of the past has fetched. */
  pastWeek: `past-week.v${versions.week}`,
  /** The last rolled-up day. */
  rolledUp: `rolled-up.v${versions.rolledUp}`,
  /** The coins whose past was fetched, and up to when. */
  past: `past.v${versions.past}`,
} as const;

export function seriesName(base: BaseInterval, time: number, shard: string): string {
  return base === '24h' ? objectNames.days(time, shard) : objectNames.monthHours(time, shard);
}

/** The lengths of stored candles, in milliseconds. */
export const steps: Readonly<Record<BaseInterval, number>> = { '24h': DAY_MS, '1h': HOUR_MS };

/** The shard of a coin's candles. */
export function shardOf(id: string): string {
  return shardOfCoin(objectNames.coin(id));
}

/** The shard of a coin, by the name of its object. */
export function shardOfCoin(name: string): string {
  return twoDigits(crc32(Buffer.from(name)) % SHARDS);
}

/** The year or month of one object that contains a time: its beginning and end. */
export function periodOf(base: BaseInterval, time: number): { readonly from: number; readonly to: number } {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return base === '24h'
    ? { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) }
    : { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
}

/** The years or months that a span touches, ascending, each with its part of the span. */
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

/** The year or month in a shard's name, for `Date.parse`. */
export function periodNamed(name: string): string {
  return name.split('/')[1] ?? '';
}

/** The shard of such a name. */
export function shardNamed(name: string): string {
  return name.split('/')[2] ?? '';
}

/** The kind of candles in an object of that name; undefined for other objects. */
export function kindOf(name: string): 'series' | 'day' | undefined {
  if (name.startsWith(kinds.days) || name.startsWith(kinds.hours)) return 'series';
  return name.startsWith(kinds.dayHours) || name.startsWith(kinds.dayExact) ? 'day' : undefined;
}

/** The length of the candles in an object of candles. */
export function baseOf(name: string): BaseInterval {
  return name.startsWith(kinds.days) ? '24h' : '1h';
}

/** The beginning of the slot in a name of samples. NaN for other names. */
export function slotOf(name: string): number {
  const [, day, hour, minute] = /^samples\.v\d+\/([\d-]{10})\/(\d\d)(\d\d)(?:-[a-z\d]+)?$/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}Z`);
}

/** The token price source in a name of samples; undefined for the snapshot's job. */
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
