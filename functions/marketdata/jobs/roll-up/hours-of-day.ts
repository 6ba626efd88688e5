import { listed } from '../../../../shared/marketdata/candles.ts';
import { closed, withSample } from '../../../../shared/marketdata/store/fold-samples.ts';
import type { DayOfHours } from '../../../../shared/marketdata/store/hours-file.ts';
import { slotOf } from '../../../../shared/marketdata/store/names.ts';
import type { Samples } from '../../../../shared/marketdata/store/sample-file.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { again } from '../../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';

/** A run of the snapshot's job that began within the hour has stored its samples by then. */
const HOUR_AFTER_MS = 2 * 60_000;
/** The longest SNAPSHOT_MINUTES: a slot may begin before the hour in which its samples were taken. */
const LONGEST_SLOT_MS = HOUR_MS;

/**
 * Publishes the hours of a day that are over by `now`; those that are published already stay as they are. Returns what
 * is published then; undefined: nothing, because there are no samples.
 */
export async function publishHours(
  store: HistoryStore,
  day: number,
  now: number,
): Promise<DayOfHours | undefined> {
  const looked = await again(async () => {
    const published = await store.hours(day);
    const more = await withNewHours(store, day, published.content, now);
    if (!more) return { hours: published.content };
    await store.putHours(more, published.etag);
    return undefined;
  });
  // As everybody reads it, whoever put it. By now what was put is let go: a day of 12,900 coins takes 400 MB as it is.
  return looked ? looked.hours : (await store.hours(day)).content;
}

/** The day with its new hours; undefined if there are none. */
async function withNewHours(
  store: HistoryStore,
  day: number,
  known: DayOfHours | undefined,
  now: number,
): Promise<DayOfHours | undefined> {
  const made = new Set<number>();
  for (const hours of known?.coins.values() ?? []) for (const { opensAt } of hours) made.add(opensAt);
  const missing = Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS).filter(
    (hour) => !made.has(hour) && hour + HOUR_MS + HOUR_AFTER_MS <= now,
  );
  if (missing.length === 0) return undefined;
  const slots = await slotsOf(store, day, missing[0] === day);
  const coins = new Map(known?.coins);
  let about: Omit<DayOfHours, 'coins'> | undefined;
  for (const hour of missing) {
    const samples = await samplesOf(store, hour, slots);
    const last = samples.at(-1);
    if (!last) continue;
    for (const [id, candle] of hourOf(samples))
      coins.set(
        id,
        [...(coins.get(id) ?? []), candle].sort((a, b) => a.opensAt - b.opensAt),
      );
    const source = listed(about?.source ?? known?.source, ...samples.map((one) => one.source));
    about = { day, intervalSeconds: last.intervalSeconds, source };
  }
  return about && coins.size > 0 ? { ...about, coins } : undefined;
}

interface Slot {
  readonly name: string;
  readonly from: number;
}

/** Also those of the day before, in which the last slot may reach into this day. */
async function slotsOf(store: HistoryStore, day: number, isFromStart: boolean): Promise<Slot[]> {
  const names = [
    ...(isFromStart ? await store.samplesOf(day - DAY_MS) : []),
    ...(await store.samplesOf(day)),
  ];
  return names.map((name) => ({ name, from: slotOf(name) }));
}

/** All that were taken in an hour, ascending. */
async function samplesOf(store: HistoryStore, hour: number, slots: readonly Slot[]): Promise<Samples[]> {
  const isIn = (time: number, from: number) => time >= from && time < hour + HOUR_MS;
  const names = slots.filter(({ from }) => isIn(from, hour - LONGEST_SLOT_MS)).map(({ name }) => name);
  const samples = await Promise.all(names.map((name) => store.samples(name)));
  return samples
    .filter((one) => one !== undefined)
    .filter(({ takenAt }) => isIn(takenAt, hour))
    .sort((a, b) => a.takenAt - b.takenAt);
}

/** Each coin's candle; tickers and prices of tokens may have been sampled at different intervals. */
function hourOf(samples: readonly Samples[]): Map<string, StoredCandle> {
  const candles = new Map<string, StoredCandle>();
  const intervals = new Map<string, number>();
  for (const { ids, sample, takenAt, intervalSeconds } of samples) {
    for (let row = 0; row < ids.count; row += 1) {
      const { id, source, ...figures } = sample(row);
      const taken = { takenAt, intervalMs: intervalSeconds * 1000, source };
      intervals.set(id, taken.intervalMs);
      candles.set(id, withSample(candles.get(id), figures, taken, HOUR_MS));
    }
  }
  for (const [id, candle] of candles) candles.set(id, closed(candle, intervals.get(id) ?? 0, HOUR_MS));
  return candles;
}
