import { StoreError } from '../../../../shared/marketdata/binary-file.ts';
import type { CandleFile } from '../../../../shared/marketdata/store/candle-files.ts';
import { dayText, KEPT_DAYS, objectNames } from '../../../../shared/marketdata/store/names.ts';
import { retryOnConflict } from '../../../../shared/platform/objects.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { endOfHours, publishHours } from './hours-of-day.ts';
import { mergeDay } from './merge.ts';
import { publishWeek } from './week.ts';

/** The time after midnight when a day's last hour is published or has no samples, and exchanges' hours are fetched. */
const DAY_AFTER_MS = 20 * 60_000;

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
  const open = daysBetween(await firstOpenDay(store, today), today);
  const failure = await publishOpenDays(store, today, open, { now, reportHoursUntil });
  const days: string[] = [];
  for (const day of open.filter((one) => one + DAY_MS + DAY_AFTER_MS <= now)) {
    if (await retryOnConflict(() => rollUpDay(store, day, now))) days.push(dayText(day));
  }
  if (failure !== undefined) throw failure;
  return days;
}

/** Publishes the open days' hours and the week. Returns why the week could not be published, if so. */
async function publishOpenDays(
  store: HistoryStore,
  today: number,
  open: readonly number[],
  { now, reportHoursUntil }: { readonly now: number; readonly reportHoursUntil: (time: number) => void },
): Promise<unknown> {
  let until: number | undefined;
  let hours: CandleFile | undefined;
  // Comes before all roll-ups: a shard that cannot be merged must not hold up hours.
  for (const day of open) {
    hours = await publishHours(store, day, now);
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

/** The day after the last one that was rolled up; at first, the first day with samples. */
async function firstOpenDay(store: HistoryStore, today: number): Promise<number> {
  const oldest = today - KEPT_DAYS * DAY_MS;
  const through = (await store.note(objectNames.rolledUp, throughIn)).content;
  if (through !== undefined) return Math.max(through + DAY_MS, oldest);
  for (const day of daysBetween(oldest, today)) {
    if ((await store.samplesOf(day)).length > 0) return day;
  }
  return today;
}

/** The last day that was rolled up. */
function throughIn(note: unknown): number {
  const { through } = (note ?? {}) as { readonly through?: unknown }; // checked below
  const day = typeof through === 'string' ? Date.parse(through) : Number.NaN;
  if (Number.isNaN(day)) throw new StoreError('The note of the roll-up names no day');
  return day;
}

/** Returns false if another run has done it. */
async function rollUpDay(store: HistoryStore, day: number, now: number): Promise<boolean> {
  const note = await store.note(objectNames.rolledUp, throughIn);
  if ((note.content ?? Number.NEGATIVE_INFINITY) >= day) return false;
  await mergeDay(store, day, await publishHours(store, day, now), now);
  await store.putNote(objectNames.rolledUp, { through: dayText(day) }, note.etag);
  return true;
}
