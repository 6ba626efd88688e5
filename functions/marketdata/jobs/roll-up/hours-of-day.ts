import { listed } from '../../../../shared/marketdata/candles.ts';
import { type CandleFile, encodeCandles } from '../../../../shared/marketdata/store/candle-files.ts';
import { joinSeries, openingsIn, SourceList } from '../../../../shared/marketdata/store/candle-rows.ts';
import { closed, withSample } from '../../../../shared/marketdata/store/fold-samples.ts';
import { slotOf } from '../../../../shared/marketdata/store/names.ts';
import type { Samples } from '../../../../shared/marketdata/store/samples.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { retryOnConflict } from '../../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';

/** A snapshot job that began within the hour has stored its samples by then. */
const HOUR_AFTER_MS = 2 * 60_000;
/** The longest SNAPSHOT_MINUTES: a slot may begin in the hour before that of its samples. */
const LONGEST_SLOT_MS = HOUR_MS;

/**
 * Publishes a day's hours that are over by `now`; published ones stay unchanged. Returns the published file; undefined if there
 * is none, because there are no samples.
 */
export async function publishHours(
  store: HistoryStore,
  day: number,
  now: number,
): Promise<CandleFile | undefined> {
  const published = await retryOnConflict(async () => {
    const { content, etag } = await store.hours(day);
    const more = await withNewHours(store, day, content, now);
    if (!more) return { content };
    await store.putHours(more, day, etag);
    return undefined;
  });
  // Read again, because another run may have put it. The bytes that were put are no longer needed.
  return published ? published.content : (await store.hours(day)).content;
}

/** The end of a day's last published hour, in milliseconds since the epoch; undefined: none is published. */
export function endOfHours(day: CandleFile | undefined): number | undefined {
  const last = Math.max(...openings(day));
  return Number.isFinite(last) ? last + HOUR_MS : undefined;
}

function openings(day: CandleFile | undefined): Set<number> {
  const all = new Set<number>();
  for (const [, series] of day?.rows.entries() ?? [])
    for (const opensAt of openingsIn(series, HOUR_MS)) all.add(opensAt);
  return all;
}

/** The file of the day with its new hours; undefined if there are none. */
async function withNewHours(
  store: HistoryStore,
  day: number,
  known: CandleFile | undefined,
  now: number,
): Promise<Uint8Array | undefined> {
  const made = openings(known);
  const missing = Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS).filter(
    (hour) => !made.has(hour) && hour + HOUR_MS + HOUR_AFTER_MS <= now,
  );
  if (missing.length === 0) return undefined;
  const slots = await slotsOf(store, day, missing[0] === day);
  const sources = new SourceList(known?.sources);
  const coins = new Map(known?.rows.entries());
  let about: { readonly intervalSeconds: number; readonly source: string } | undefined;
  for (const hour of missing) {
    const samples = await samplesOf(store, hour, slots);
    const last = samples.at(-1);
    if (!last) continue;
    for (const [id, candle] of hourOf(samples)) {
      const added = { candles: [candle], coverage: undefined };
      coins.set(id, joinSeries(coins.get(id), added, { stepMs: HOUR_MS, sources }));
    }
    const source = listed(about?.source ?? known?.source, ...samples.map((one) => one.source));
    about = { intervalSeconds: last.intervalSeconds, source };
  }
  if (!about || coins.size === 0) return undefined;
  return encodeCandles({ time: day, ...about, sources: sources.names, setAside: [] }, coins);
}

interface Slot {
  readonly name: string;
  readonly from: number;
}

/** Includes slots of the day before, the last of which may reach into this day. */
async function slotsOf(store: HistoryStore, day: number, isFromStart: boolean): Promise<Slot[]> {
  const names = [
    ...(isFromStart ? await store.samplesOf(day - DAY_MS) : []),
    ...(await store.samplesOf(day)),
  ];
  return names.map((name) => ({ name, from: slotOf(name) }));
}

/** All samples taken in an hour, ascending. */
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
  for (const run of samples) {
    const intervalMs = run.intervalSeconds * 1000;
    for (const { id, source, ...figures } of run.all()) {
      intervals.set(id, intervalMs);
      const origin = { takenAt: run.takenAt, intervalMs, source };
      candles.set(id, withSample(candles.get(id), figures, origin, HOUR_MS));
    }
  }
  for (const [id, candle] of candles) candles.set(id, closed(candle, intervals.get(id) ?? 0, HOUR_MS));
  return candles;
}
