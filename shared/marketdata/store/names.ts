/** The names of the stored objects below the prefix. Ids are percent-encoded, because they may hold anything. */
export const HISTORY_PREFIX = 'history/';
/** For so many days its bucket keeps what was overwritten or deleted (docs/runbook.md). */
export const VERSION_DAYS = 30;

/**
 * The versions of the formats. Each is part of the names of its objects: code of another version, during a deployment or
 * after a rollback, does not see them and leaves them alone.
 */
export const versions = {
  samples: 2,
  hours: 2,
  series: 1,
  rolledUp: 1,
  coins: 1,
  backfill: 1,
  tokenHistory: 1,
} as const;
const kinds = {
  samples: `samples.v${versions.samples}/`,
  hours: `hours.v${versions.hours}/`,
  exact: `exact.v${versions.hours}/`,
  daily: `daily.v${versions.series}/`,
  hourly: `hourly.v${versions.series}/`,
  coins: `coins.v${versions.coins}/`,
} as const;

const MAX_ENCODED = 800;
const DAY_CHARACTERS = 10;
const MONTH_CHARACTERS = 7;

export const objectNames = {
  /**
   * One for each run of the snapshot's job, by the slot in which the provider made its answer; another one for what a
   * run asked a source of token prices for, with its name.
   */
  samples: (takenAt: number, intervalMs: number, tokenSource?: string) =>
    `${kinds.samples}${new Date(Math.floor(takenAt / intervalMs) * intervalMs).toISOString().slice(0, 16).replace('T', '/').replace(':', '')}${tokenSource === undefined ? '' : `-${tokenSource}`}`,
  samplesOfDay: (day: number) => `${kinds.samples}${dayText(day)}/`,
  hours: (day: number) => `${kinds.hours}${dayText(day)}`,
  /** Hours of exchanges of a day, in the same format. */
  exact: (day: number) => `${kinds.exact}${dayText(day)}`,
  /** All days of a coin. */
  daily: (id: string) => `${kinds.daily}${encoded(id)}`,
  /** The hours of a coin in the month of a time. */
  hourly: (id: string, time: number) => `${kinds.hourly}${encoded(id)}/${monthText(time)}`,
  /** What was fetched of a coin and is not in the shards yet. */
  coin: (id: string) => `${kinds.coins}${encoded(id)}`,
  /** The last day that is rolled up. */
  rolledUp: `rolled-up.v${versions.rolledUp}`,
  /** The coins that providers were asked about, and up to when. */
  backfill: `backfill.v${versions.backfill}`,
  /** The coins whose past a source of token prices was asked for. */
  tokenHistory: `token-history.v${versions.tokenHistory}`,
} as const;

/** Whether an object of that name holds a coin's candles of one length. */
export function isSeriesName(name: string): boolean {
  return name.startsWith(kinds.daily) || name.startsWith(kinds.hourly);
}

/** Whether it holds the hours of a day, of all coins. */
export function isDayName(name: string): boolean {
  return name.startsWith(kinds.hours) || name.startsWith(kinds.exact);
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

export function monthText(time: number): string {
  return new Date(time).toISOString().slice(0, MONTH_CHARACTERS);
}

/** `~` in front keeps the ids `.` and `..` from being dot segments of a path; S3's keys end at 1,024 bytes. */
function encoded(id: string): string {
  const name = `~${encodeURIComponent(id.toWellFormed())}`;
  if (name.length <= MAX_ENCODED) return name;
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256').update(id).digest('hex');
  return `${name.slice(0, MAX_ENCODED - digest.length)}~${digest}`;
}
