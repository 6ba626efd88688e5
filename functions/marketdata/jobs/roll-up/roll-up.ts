import type { CandleFile } from '../../../../shared/marketdata/store/candle-files.ts';
import { dayText, KEPT_DAYS, objectNames } from '../../../../shared/marketdata/store/names.ts';
import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import { again } from '../../../../shared/platform/objects.ts';
import { DAY_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';
import { endOfHours, publishHours } from './hours-of-day.ts';
import { mergeDay } from './merge.ts';
import { publishWeek } from './week.ts';

/** The last hour of a day is published by then, or has no samples, and exchanges have theirs. */
const DAY_AFTER_MS = 20 * 60_000;

/**
 * Publishes the hours of all days since the last one that is rolled up, then rolls up those of them that are over by
 * `now` (ms since the epoch). Tells when the newest published hour was over, as soon as that is known, if there is one.
 * Returns the days that this call has rolled up. Each step is made of what is stored, and repeating it changes nothing.
 */
export async function rollUp(
  store: HistoryStore,
  now: number,
  tellHoursUntil: (time: number) => void,
): Promise<string[]> {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const open = daysBetween(await firstOpenDay(store, today), today);
  const failure = await publishOpenDays(store, today, open, { now, tellHoursUntil });
  const days: string[] = [];
  for (const day of open.filter((one) => one + DAY_MS + DAY_AFTER_MS <= now)) {
    if (await again(() => rollUpDay(store, day, now))) days.push(dayText(day));
  }
  if (failure !== undefined) throw failure;
  return days;
}

/** Publishes the hours of the open days, and the week. Returns why the week could not be published, if it could not. */
async function publishOpenDays(
  store: HistoryStore,
  today: number,
  open: readonly number[],
  { now, tellHoursUntil }: { readonly now: number; readonly tellHoursUntil: (time: number) => void },
): Promise<unknown> {
  let until: number | undefined;
  let hours: CandleFile | undefined;
  // First of all days: a shard that cannot be merged keeps no hour from being published.
  for (const day of open) {
    hours = await publishHours(store, day, now);
    until = endOfHours(hours) ?? until;
  }
  const rolledUp = daysBetween(today - KEPT_DAYS * DAY_MS, (open[0] ?? today + DAY_MS) - DAY_MS);
  for (const day of rolledUp.reverse()) until ??= endOfHours((await store.hours(day)).content);
  if (until !== undefined) tellHoursUntil(until);
  // Nothing else is made of it: a week that cannot be stored keeps no day from being rolled up.
  return publishWeek(store, open, hours, now).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Both inclusive. */
function daysBetween(first: number, last: number): number[] {
  return Array.from(
    { length: Math.max(0, (last - first) / DAY_MS + 1) },
    (_, index) => first + index * DAY_MS,
  );
}

/** The one after the last that is rolled up; at first, the first with samples. */
async function firstOpenDay(store: HistoryStore, today: number): Promise<number> {
  const oldest = today - KEPT_DAYS * DAY_MS;
  const through = (await store.note(objectNames.rolledUp, throughIn)).content;
  if (through !== undefined) return Math.max(through + DAY_MS, oldest);
  for (const day of daysBetween(oldest, today)) {
    if ((await store.samplesOf(day)).length > 0) return day;
  }
  return today;
}

/** The last day that is rolled up. */
function throughIn(note: unknown): number {
  const { through } = (note ?? {}) as { readonly through?: unknown }; // checked below
  const day = typeof through === 'string' ? Date.parse(through) : Number.NaN;
  if (Number.isNaN(day)) throw new StoreError('The note of the roll-up names no day');
  return day;
}

/** Returns false if somebody else has done it. */
async function rollUpDay(store: HistoryStore, day: number, now: number): Promise<boolean> {
  const note = await store.note(objectNames.rolledUp, throughIn);
  if ((note.content ?? Number.NEGATIVE_INFINITY) >= day) return false;
  await mergeDay(store, day, await publishHours(store, day, now), now);
  await store.putNote(objectNames.rolledUp, { through: dayText(day) }, note.etag);
  return true;
}
