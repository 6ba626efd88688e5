import { StoreError } from '../../../../shared/marketdata/binary-file.ts';
import type { CandleFile } from '../../../../shared/marketdata/store/candle-files.ts';
import { MERGED_AFTER_MS } from '../../../../shared/marketdata/store/held-until.ts';
import { dayText, KEPT_DAYS, objectNames, slotOf } from '../../../../shared/marketdata/store/names.ts';
import type { TimedRevision } from '../../../../shared/marketdata/store/samples.ts';
import { retryOnConflict } from '../../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { publishWeek } from '../week.ts';
import { endOfHours, publishHours, reviseHours } from './hours-of-day.ts';
import { mergeDay } from './merge.ts';

/**
 * Publishes the hours of all days since the last one that was rolled up, then rolls up those that are over by `now` (ms since
 * the epoch). Reports the end of the newest published hour, if any, as soon as it is known. Returns the days that this call
 * rolled up. Each step works on stored data, and repeating it changes nothing.
 */
export async function rollUp(
  store: HistoryStore,
  now: number,
  reportHoursUntil: (time: number) => void,
): Promise<string[]> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const newest = await newestSample(store, today);
  const open = daysBetween(await firstOpenDay(store, today, newest), today);
  // The shards that cannot be merged now.
  const failed = new Map<string, unknown>();
  const failure = await publishOpenDays(store, today, open, { now, reportHoursUntil, failed });
  const days: string[] = [];
  // A day is over when its last hour has samples, or a later one: the clock alone may be wrong.
  const isOver = (day: number) => {
    return day + DAY_MS + MERGED_AFTER_MS <= now && newest >= day + DAY_MS - HOUR_MS;
  };
  for (const day of open.filter(isOver)) {
    if (await retryOnConflict(() => rollUpDay(store, day, { newest, now, failed }))) days.push(dayText(day));
  }
  for (const reason of [failure, ...failed.values()]) if (reason !== undefined) throw reason;
  return days;
}

/** Publishes the open days' hours and the week. Returns why the week could not be published, if so. */
async function publishOpenDays(
  store: HistoryStore,
  today: number,
  open: readonly number[],
  {
    now,
    reportHoursUntil,
    failed,
  }: {
    readonly now: number;
    readonly reportHoursUntil: (time: number) => void;
    readonly failed: Map<string, unknown>;
  },
): Promise<unknown> {
  let until: number | undefined;
  let hours: CandleFile | undefined;
  // Comes before all roll-ups: a shard that cannot be merged must not hold up hours.
  for (const day of open) {
    const { file, ofDayBefore } = await publishHours(store, day, now);
    hours = file;
    if (ofDayBefore.length > 0)
      await reviseDay(store, day - DAY_MS, ofDayBefore, { isMerged: day === open[0], failed });
    until = endOfHours(hours) ?? until;
  }
  const rolledUp = daysBetween(today - KEPT_DAYS * DAY_MS, (open[0] ?? today + DAY_MS) - DAY_MS);
  for (const day of rolledUp.reverse()) until ??= endOfHours((await store.hours(day)).content);
  if (until !== undefined) reportHoursUntil(until);
  // Nothing depends on the week, so its failure does not stop the roll-up.
  return publishWeek(store, open, hours, now).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The days from the first to the last, both included. */
function daysBetween(first: number, last: number): number[] {
  return Array.from(
    { length: Math.max(0, (last - first) / DAY_MS + 1) },
    (_, index) => first + index * DAY_MS,
  );
}

/** Takes revised samples back from, or into, the hours and candles that were made of them. */
async function reviseDay(
  store: HistoryStore,
  day: number,
  revisions: readonly TimedRevision[],
  { isMerged, failed }: { readonly isMerged: boolean; readonly failed: Map<string, unknown> },
): Promise<void> {
  const revised = await reviseHours(store, day, revisions);
  if (isMerged && revised.size > 0)
    await mergeDay(store, day, (await store.hours(day)).content, { failed, revised });
}

/** The beginning of the newest stored slot of samples, in milliseconds since the epoch; -Infinity without any. */
async function newestSample(store: HistoryStore, today: number): Promise<number> {
  for (const day of daysBetween(today - KEPT_DAYS * DAY_MS, today + DAY_MS).reverse()) {
    const last = (await store.samplesOf(day)).at(-1);
    if (last !== undefined) return slotOf(last);
  }
  return Number.NEGATIVE_INFINITY;
}

/**
 * The day after the last one that was rolled up; at first, and after a false note, the first day with samples or exchanges' hours:
 * a service that begins just after midnight has the hours of the day before.
 */
async function firstOpenDay(store: HistoryStore, today: number, newest: number): Promise<number> {
  const oldest = today - KEPT_DAYS * DAY_MS;
  const through = (await store.note(objectNames.rolledUp, throughIn)).content;
  if (through !== undefined && isTrue(through, newest)) return Math.max(through + DAY_MS, oldest);
  for (const day of daysBetween(oldest, today)) {
    if ((await store.samplesOf(day)).length > 0 || (await store.exact(day)).content) return day;
  }
  return today;
}

/** A note that is ahead of all samples is from a wrong clock; without samples nothing can be told. */
function isTrue(through: number, newest: number): boolean {
  return through <= newest || newest === Number.NEGATIVE_INFINITY;
}

/** The last day that was rolled up. */
function throughIn(note: unknown): number {
  const { through } = (note ?? {}) as { readonly through?: unknown }; // checked below
  const day = typeof through === 'string' ? Date.parse(through) : Number.NaN;
  if (Number.isNaN(day)) throw new StoreError('The note of the roll-up names no day');
  return day;
}

/** Returns false if another run has done it, or if a shard lacks the day. */
async function rollUpDay(
  store: HistoryStore,
  day: number,
  {
    newest,
    now,
    failed,
  }: { readonly newest: number; readonly now: number; readonly failed: Map<string, unknown> },
): Promise<boolean> {
  const note = await store.note(objectNames.rolledUp, throughIn);
  const { content: through = Number.NEGATIVE_INFINITY } = note;
  if (through >= day && isTrue(through, newest)) return false;
  const { file } = await publishHours(store, day, now);
  await mergeDay(store, day, file, { failed });
  if (failed.size > 0) return false;
  await store.putNote(objectNames.rolledUp, { through: dayText(day) }, note.etag);
  return true;
}
