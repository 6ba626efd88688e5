import { listed } from '../../../../shared/marketdata/candles.ts';
import type { CandleFile } from '../../../../shared/marketdata/store/candle-files.ts';
import { encodeCandles } from '../../../../shared/marketdata/store/candle-files-writer.ts';
import { openingsIn, readSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import { closed, withSample } from '../../../../shared/marketdata/store/fold-samples.ts';
import { slotOf, tokenSourceOf } from '../../../../shared/marketdata/store/names.ts';
import {
  believedAfter,
  type IsBelieved,
  revisionsIn,
  type Samples,
  type TimedRevision,
} from '../../../../shared/marketdata/store/samples.ts';
import { joinSeries } from '../../../../shared/marketdata/store/series-writer.ts';
import { SourceList } from '../../../../shared/marketdata/store/source-list.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import { retryOnConflict } from '../../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import type { HistoryStore } from '../history-store.ts';

/** A snapshot job that began within the hour has stored its samples by then. */
const HOUR_AFTER_MS = 2 * 60_000;
/** The longest SNAPSHOT_MINUTES: a slot may begin in the hour before that of its samples. */
const LONGEST_SLOT_MS = HOUR_MS;

/** A day's published hours, and what later samples found some of its samples to be. */
export interface PublishedHours {
  /** Undefined if there is none, because there are no samples. */
  readonly file: CandleFile | undefined;
  /** The revisions that this run read and that reach into the day before. */
  readonly ofDayBefore: readonly TimedRevision[];
}

/**
 * Publishes a day's hours that are over by `now`. A published hour stays unchanged, unless more samples of it are stored by now or
 * samples of it were revised.
 */
export async function publishHours(store: HistoryStore, day: number, now: number): Promise<PublishedHours> {
  let ofDayBefore: readonly TimedRevision[] = [];
  const published = await retryOnConflict(async () => {
    const { content, etag } = await store.hours(day);
    const more = await withNewHours(store, day, content, now);
    if (!more) return { content };
    ofDayBefore = more.revisions.filter(({ from }) => from < day);
    await store.putHours(more.bytes, day, etag);
    return undefined;
  });
  // Read again, because another run may have put it. The bytes that were put are no longer needed.
  return { file: published ? published.content : (await store.hours(day)).content, ofDayBefore };
}

/** Makes the hours of a published day anew whose samples were revised. Returns the coins with such hours. */
export async function reviseHours(
  store: HistoryStore,
  day: number,
  revisions: readonly TimedRevision[],
): Promise<ReadonlySet<string>> {
  return retryOnConflict(async () => {
    const { content: known, etag } = await store.hours(day);
    if (!known) return new Set();
    const sources = new SourceList(known.sources);
    const coins = new Map(known.rows.entries());
    await reviseIn(store, day, { coins, sources, revisions, slots: await slotsOf(store, day, true) });
    const { intervalSeconds, source } = known;
    const about = { time: day, intervalSeconds, source, sources: sources.names };
    await store.putHours(encodeCandles(about, coins), day, etag);
    return new Set(revisions.map(({ id }) => id));
  });
}

/** The end of a day's last published hour, in milliseconds since the epoch; undefined: none is published. */
export function endOfHours(day: CandleFile | undefined): number | undefined {
  const last = Math.max(...samplesByHour(day).keys());
  return Number.isFinite(last) ? last + HOUR_MS : undefined;
}

/** The most samples that a coin's candle of each hour is made of. */
function samplesByHour(day: CandleFile | undefined): Map<number, number> {
  const all = new Map<number, number>();
  for (const [, series] of day?.rows.entries() ?? [])
    for (const [opensAt, samples] of openingsIn(series, HOUR_MS))
      all.set(opensAt, Math.max(samples, all.get(opensAt) ?? 0));
  return all;
}

/** The file of the day with its new hours, and the revisions among their samples; undefined if there are none. */
async function withNewHours(
  store: HistoryStore,
  day: number,
  known: CandleFile | undefined,
  now: number,
): Promise<{ readonly bytes: Uint8Array; readonly revisions: readonly TimedRevision[] } | undefined> {
  const made = samplesByHour(known);
  const over = Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS).filter(
    (hour) => hour + HOUR_MS + HOUR_AFTER_MS <= now,
  );
  if (over.length === 0) return undefined;
  const slots = await slotsOf(store, day, !made.has(day));
  // A run whose clock was ahead made an hour of the samples that there were.
  const missing = over.filter((hour) => {
    const samples = made.get(hour);
    return samples === undefined || storedIn(slots, hour) > samples;
  });
  const sources = new SourceList(known?.sources);
  const coins = new Map(known?.rows.entries());
  const revisions: TimedRevision[] = [];
  let about: { readonly intervalSeconds: number; readonly source: string } | undefined;
  for (const hour of missing) {
    const samples = await samplesOf(store, hour, slots);
    const last = samples.at(-1);
    if (!last) continue;
    const own = revisionsIn(samples);
    revisions.push(...own);
    for (const [id, candle] of hourOf(samples, believedAfter(own))) {
      const added = { candles: [candle], coverage: undefined };
      coins.set(id, joinSeries(coins.get(id), added, { stepMs: HOUR_MS, sources }));
    }
    const source = listed(about?.source ?? known?.source, ...samples.map((one) => one.source));
    about = { intervalSeconds: last.intervalSeconds, source };
  }
  if (!about || coins.size === 0) return undefined;
  const earlier = revisions.filter(({ from, until }) => from < hourStart(until));
  if (earlier.length > 0) await reviseIn(store, day, { coins, sources, revisions, slots });
  const bytes = encodeCandles({ time: day, ...about, sources: sources.names }, coins);
  return { bytes, revisions };
}

function hourStart(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

interface Revising {
  /** The day's series by coin, which are replaced. */
  readonly coins: Map<string, Buffer>;
  readonly sources: SourceList;
  readonly revisions: readonly TimedRevision[];
  readonly slots: readonly Slot[];
}

/** Makes anew the hours of a day that have revised samples, for the revised coins. */
async function reviseIn(
  store: HistoryStore,
  day: number,
  { coins, sources, revisions, slots }: Revising,
): Promise<void> {
  const ids = new Set(revisions.map(({ id }) => id));
  const isBelieved = believedAfter(revisions);
  const first = Math.max(day, Math.min(...revisions.map(({ from }) => hourStart(from))));
  const end = Math.min(day + DAY_MS, Math.max(...revisions.map(({ until }) => until)));
  for (let hour = first; hour < end; hour += HOUR_MS) {
    const candles = hourOf(await samplesOf(store, hour, slots), isBelieved, ids);
    for (const id of ids) {
      const before = coins.get(id);
      const known = before ? readSeries(before, HOUR_MS, sources.names).candles : [];
      // An hour that is not published yet stays so.
      if (!known.some(({ opensAt }) => opensAt === hour) && !candles.has(id)) continue;
      const others = known.filter(({ opensAt }) => opensAt !== hour);
      const own = candles.get(id);
      const series = { candles: own ? [...others, own].sort(byOpening) : others, coverage: undefined };
      coins.set(id, joinSeries(undefined, series, { stepMs: HOUR_MS, sources }));
    }
  }
}

function byOpening(a: StoredCandle, b: StoredCandle): number {
  return a.opensAt - b.opensAt;
}

/** The most samples of an hour that one source has stored. */
function storedIn(slots: readonly Slot[], hour: number): number {
  const own = slots.filter(({ from }) => from >= hour && from < hour + HOUR_MS);
  const bySource = Map.groupBy(own, ({ name }) => tokenSourceOf(name));
  return Math.max(0, ...[...bySource.values()].map(({ length }) => length));
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

/** Each coin's candle; tickers and prices of tokens may have been sampled at different intervals. `ids`: only these coins. */
function hourOf(
  samples: readonly Samples[],
  isBelieved: IsBelieved,
  ids?: ReadonlySet<string>,
): Map<string, StoredCandle> {
  const candles = new Map<string, StoredCandle>();
  const intervals = new Map<string, number>();
  for (const run of samples) {
    const intervalMs = run.intervalSeconds * 1000;
    const all = ids ? [...ids].flatMap((id) => run.of(id) ?? []) : run.all();
    for (const sample of all) {
      if (!isBelieved(sample, run.takenAt)) continue;
      const { id, source, isNewUnit } = sample;
      intervals.set(id, intervalMs);
      const origin = { takenAt: run.takenAt, intervalMs, source, isNewUnit };
      candles.set(id, withSample(candles.get(id), sample, origin, HOUR_MS));
    }
  }
  for (const [id, candle] of candles) candles.set(id, closed(candle, intervals.get(id) ?? 0, HOUR_MS));
  return candles;
}
