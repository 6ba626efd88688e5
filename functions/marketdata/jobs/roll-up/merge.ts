import { StoreError } from '../../../../shared/marketdata/binary-file.ts';
import { lifetimes } from '../../../../shared/marketdata/freshness.ts';
import {
  type CandleFile,
  type DayOfHours,
  encodeCandles,
  isWhole,
  openCandles,
  type SetAside,
} from '../../../../shared/marketdata/store/candle-files.ts';
import {
  type CoveredSeries,
  joinSeries,
  readSeries,
  type SeriesFormat,
  SourceList,
  settledPart,
} from '../../../../shared/marketdata/store/candle-rows.ts';
import {
  bases,
  type CoinObject,
  coinIn,
  encodeCoin,
} from '../../../../shared/marketdata/store/coin-object.ts';
import { dayOf, dayWithAmounts, withExact } from '../../../../shared/marketdata/store/exact-hours.ts';
import {
  KEPT_DAYS,
  objectNames,
  periodOf,
  periodsIn,
  seriesName,
  shardOf,
  shardOfCoin,
  shards,
  steps,
} from '../../../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { ConditionFailed } from '../../../../shared/platform/s3-error.ts';
import { reportFault } from '../../../../shared/platform/scheduled.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import { atMost } from '../../../../shared/platform/waiting.ts';
import { BINARY, type HistoryStore } from '../history-store.ts';

const COINS_AT_ONCE = 16;

/** All coins' hours of a day. */
interface Day {
  readonly day: number;
  readonly sampled: CandleFile | undefined;
  readonly exact: DayOfHours | undefined;
}

/** A coin's object as it was read. */
interface Stored {
  readonly name: string;
  readonly etag: string;
  /** Undefined if it could not be opened and was set aside. */
  readonly coin: { readonly id: string; readonly object: CoinObject } | undefined;
}

/** A shard's days of one year or hours of one month, and the additions to it. */
interface ShardFile {
  readonly name: string;
  readonly base: BaseInterval;
  readonly shard: string;
  /** A time within its period. */
  readonly time: number;
  /** The end of the newest day that is added; 0: none. */
  readonly through: number;
  readonly added: (readonly [id: string, series: CoveredSeries])[];
}

/**
 * Merges a completed day's hours and the coins' objects into the shards. Each shard is put once for each year and month with
 * additions; then merged data is removed from the coins' objects. The day of a `revised` coin replaces the stored one. Safe to
 * repeat after any step. Throws the first failure after
 * all other shards are merged.
 */
export async function mergeDay(
  store: HistoryStore,
  day: number,
  sampled: CandleFile | undefined,
  { now, revised = new Set() }: { readonly now: number; readonly revised?: ReadonlySet<string> },
): Promise<void> {
  const hours: Day = { day, sampled, exact: (await store.exact(day)).content };
  const coins = Map.groupBy(await store.objects.list(objectNames.coins), shardOfCoin);
  const ids = Map.groupBy(idsOf(hours), shardOf);
  const failures: unknown[] = [];
  for (const shard of shards) {
    try {
      await mergeShard(store, shard, hours, {
        ids: ids.get(shard) ?? [],
        names: coins.get(shard) ?? [],
        revised,
        now,
      });
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function mergeShard(
  store: HistoryStore,
  shard: string,
  hours: Day,
  {
    ids,
    names,
    revised,
    now,
  }: {
    readonly ids: readonly string[];
    readonly names: readonly string[];
    readonly revised: ReadonlySet<string>;
    readonly now: number;
  },
): Promise<void> {
  const files = new Map<string, ShardFile>();
  const fileOf = (base: BaseInterval, time: number, through = 0) => {
    const name = seriesName(base, time, shard);
    const file = files.get(name) ?? { name, base, shard, time, through, added: [] };
    files.set(name, file);
    return file;
  };
  for (const base of bases) {
    const { added } = fileOf(base, hours.day, hours.day + DAY_MS);
    for (const id of ids) {
      const series = seriesOfDay(hours, id, base);
      if (series) added.push([id, series]);
    }
  }
  const stored = await atMost(COINS_AT_ONCE, names, (name) => readCoin(store, name));
  const objects = stored.filter((one) => one !== undefined);
  for (const { coin } of objects) {
    for (const base of bases) {
      const series = coin?.object.series[base];
      if (!coin || !series) continue;
      for (const [time, part] of partsOf(series, base)) fileOf(base, time).added.push([coin.id, part]);
    }
  }
  for (const file of files.values())
    await retryOnConflict(() => mergeInto(store, file, { today: hours.day, revised }));
  await atMost(COINS_AT_ONCE, objects, (object) => takeOut(store, object, now));
}

/** Joins the additions to a shard's file, or to rows from the kept days if stored rows cannot be opened. */
async function mergeInto(
  store: HistoryStore,
  file: ShardFile,
  { today, revised }: { readonly today: number; readonly revised: ReadonlySet<string> },
): Promise<void> {
  const { name, base } = file;
  const stepMs = steps[base];
  const { content: known, ...before } = await store.open(name, openCandles, isWhole);
  const lost = before.setAside === undefined ? [] : (known?.rows.damaged ?? 'all');
  const restored = lost.length > 0 ? await keptSeries(store, file, lost, today) : [];
  const sources = new SourceList(known?.sources);
  const rows = new Map(known?.rows.entries());
  for (const id of revised) {
    const row = rows.get(id);
    if (row) rows.set(id, withoutSampled(row, today, { stepMs, sources }));
  }
  for (const [id, series] of [...restored, ...file.added]) {
    try {
      rows.set(id, joinSeries(rows.get(id), series, { stepMs, sources }));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      count('CoinsNotStored');
      reportFault(`${error.message}: ${id}`);
    }
  }
  if (rows.size === 0) return;
  const about = {
    time: Math.max(known?.time ?? 0, file.through),
    intervalSeconds: 0,
    source: '',
    sources: sources.names,
    setAside: both(known?.setAside ?? [], lost),
  };
  const bytes = encodeCandles(about, rows.entries());
  if (before.bytes && Buffer.compare(bytes, before.bytes) === 0) return;
  await store.objects.put(name, bytes, BINARY, replacing(before.etag));
}

/** A series without the candles of a day that are made of samples. */
function withoutSampled(row: Buffer, day: number, format: SeriesFormat): Buffer {
  const { candles, coverage } = readSeries(row, format.stepMs, format.sources.names);
  const isOther = ({ opensAt, samples }: StoredCandle) =>
    samples === 0 || opensAt < day || opensAt >= day + DAY_MS;
  return joinSeries(undefined, { candles: candles.filter(isOther), coverage }, format);
}

function both(a: SetAside, b: SetAside): SetAside {
  return a === 'all' || b === 'all' ? 'all' : [...new Set([...a, ...b])];
}

/** The kept days' rows of a file's period, for coins whose rows are lost. */
async function keptSeries(
  store: HistoryStore,
  { base, shard, time }: ShardFile,
  lost: SetAside,
  today: number,
): Promise<(readonly [id: string, series: CoveredSeries])[]> {
  const period = periodOf(base, time);
  const series: (readonly [string, CoveredSeries])[] = [];
  const first = Math.max(period.from, today - KEPT_DAYS * DAY_MS);
  for (let day = first; day < Math.min(period.to, today + DAY_MS); day += DAY_MS) {
    const sampled = (await store.hours(day)).content;
    const exact = (await store.exact(day)).content;
    for (const id of idsOf({ day, sampled, exact })) {
      if (shardOf(id) !== shard || (lost !== 'all' && !lost.includes(id))) continue;
      const own = seriesOfDay({ day, sampled, exact }, id, base);
      if (own) series.push([id, own]);
    }
  }
  return series;
}

function idsOf({ sampled, exact }: Day): string[] {
  const ids = new Set(exact?.coins.keys());
  for (const [id] of sampled?.rows.entries() ?? []) ids.add(id);
  return [...ids];
}

/** A coin's hours of a completed day, from exchanges if they have them, or the day made of these hours. */
function seriesOfDay({ sampled, exact }: Day, id: string, base: BaseInterval): CoveredSeries | undefined {
  const row = sampled?.rows.content(id);
  const own = row && sampled ? readSeries(row, HOUR_MS, sampled.sources).candles : [];
  const hours = withExact(exact?.coins.get(id) ?? [], own, Number.POSITIVE_INFINITY);
  if (base === '1h') return hours.length > 0 ? { candles: hours, coverage: undefined } : undefined;
  const intervalMs = 1000 * (sampled?.intervalSeconds ?? exact?.intervalSeconds ?? 0);
  const until = Number.POSITIVE_INFINITY;
  const candle = dayOf(hours, { intervalMs, until });
  return candle && { candles: [dayWithAmounts(candle, own, until)], coverage: undefined };
}

/** The settled part of a series, by the years or months that it covers; each with its part of the coverage. */
function partsOf(
  series: CoveredSeries,
  base: BaseInterval,
): (readonly [time: number, part: CoveredSeries])[] {
  const stepMs = steps[base];
  const { candles, coverage } = settledPart(series, stepMs);
  const first = candles[0]?.opensAt;
  const last = candles.at(-1)?.opensAt;
  const from = Math.min(coverage?.from ?? Number.POSITIVE_INFINITY, first ?? Number.POSITIVE_INFINITY);
  const to = Math.max(coverage?.to ?? 0, last === undefined ? 0 : last + stepMs);
  return periodsIn(base, { from, to }).map((part) => [
    part.from,
    {
      candles: candles.filter(({ opensAt }) => opensAt >= part.from && opensAt < part.to),
      coverage: coverage && within(coverage, part),
    },
  ]);
}

function within(
  coverage: { readonly from: number; readonly to: number },
  part: { readonly from: number; readonly to: number },
) {
  const from = Math.max(coverage.from, part.from);
  const to = Math.min(coverage.to, part.to);
  return from < to ? { from, to } : undefined;
}

async function readCoin(store: HistoryStore, name: string): Promise<Stored | undefined> {
  const { content, etag } = await store.open(name, coinIn);
  return etag === undefined ? undefined : { name, etag, coin: content };
}

/** Removes merged series from a coin's object, and the object if nothing else in it counts. */
async function takeOut(store: HistoryStore, { name, etag, coin }: Stored, now: number): Promise<void> {
  const left = coin && { ...coin.object, series: {} };
  const isNeeded = left && isAlive(left, now);
  if (isNeeded && Object.keys(coin.object.series).length === 0) return;
  try {
    if (isNeeded) await store.objects.put(name, encodeCoin(coin.id, left), BINARY, replacing(etag));
    else await store.objects.remove(name, etag);
  } catch (error) {
    // Another writer added to it: the next run merges all of it again.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Whether a ticker may still replace a newer one, or a refusal still counts. */
function isAlive({ ticker, refusals }: CoinObject, now: number): boolean {
  const isRecent = ticker !== undefined && now - ticker.storedAt < lifetimes.inactiveMs;
  return isRecent || Object.values(refusals).some(({ until }) => until > now);
}
