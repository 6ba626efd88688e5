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
} from '../../../../shared/marketdata/store/names.ts';
import { StoreError } from '../../../../shared/marketdata/store/store-error.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { atMost } from '../../../../shared/platform/at-most.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { again, ConditionFailed, replacing } from '../../../../shared/platform/objects.ts';
import { reportFault } from '../../../../shared/platform/scheduled.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import { BINARY, type HistoryStore } from '../history-store.ts';

const COINS_AT_ONCE = 16;
const steps: Readonly<Record<BaseInterval, number>> = { '24h': DAY_MS, '1h': HOUR_MS };

/** The hours of a day, of all coins. */
interface Day {
  readonly day: number;
  readonly sampled: CandleFile | undefined;
  readonly exact: DayOfHours | undefined;
}

/** A coin's object as it was read. */
interface Stored {
  readonly name: string;
  readonly etag: string;
  /** Undefined if it could not be opened; then it is set aside. */
  readonly coin: { readonly id: string; readonly object: CoinObject } | undefined;
}

/** One year of days or month of hours of a shard, and what is to be added to it. */
interface ShardFile {
  readonly name: string;
  readonly base: BaseInterval;
  readonly shard: string;
  /** A time in its period. */
  readonly time: number;
  /** The end of the newest day that is added; 0: none is. */
  readonly through: number;
  readonly added: (readonly [id: string, series: CoveredSeries])[];
}

/**
 * Merges the hours of a day that is over, and what is stored of single coins, into the shards. Each shard is put once for
 * each year and month that something is added to; then what was merged is taken out of the coins' objects. Whatever step
 * it ends after, doing it again changes nothing that is done. Throws the first failure when all other shards are merged.
 */
export async function mergeDay(
  store: HistoryStore,
  day: number,
  sampled: CandleFile | undefined,
  now: number,
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
    now,
  }: { readonly ids: readonly string[]; readonly names: readonly string[]; readonly now: number },
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
  for (const file of files.values()) await again(() => mergeInto(store, file, hours.day));
  await atMost(COINS_AT_ONCE, objects, (object) => takeOut(store, object, now));
}

/** Joins the additions to a shard's file; to what the kept days have, if more was stored than can be opened. */
async function mergeInto(store: HistoryStore, file: ShardFile, today: number): Promise<void> {
  const { name, base } = file;
  const stepMs = steps[base];
  const { content: known, ...before } = await store.open(name, openCandles, isWhole);
  const lost = before.setAside === undefined ? [] : (known?.rows.damaged ?? 'all');
  const restored = lost.length > 0 ? await keptSeries(store, file, lost, today) : [];
  const sources = new SourceList(known?.sources);
  const rows = new Map(known?.rows.entries());
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

function both(a: SetAside, b: SetAside): SetAside {
  return a === 'all' || b === 'all' ? 'all' : [...new Set([...a, ...b])];
}

/** What the kept days of a file's period have of coins whose rows are lost. */
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
    const [sampled, exact] = [(await store.hours(day)).content, (await store.exact(day)).content];
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

/** A coin's hours of a day that is over, exchanges' where they have them, or the day that these make. */
function seriesOfDay({ sampled, exact }: Day, id: string, base: BaseInterval): CoveredSeries | undefined {
  const row = sampled?.rows.content(id);
  const own = row && sampled ? readSeries(row, HOUR_MS, sampled.sources).candles : [];
  const hours = withExact(exact?.coins.get(id) ?? [], own, Number.POSITIVE_INFINITY);
  if (base === '1h') return hours.length > 0 ? { candles: hours, asked: undefined } : undefined;
  const intervalMs = 1000 * (sampled?.intervalSeconds ?? exact?.intervalSeconds ?? 0);
  const until = Number.POSITIVE_INFINITY;
  const candle = dayOf(hours, { intervalMs, until });
  return candle && { candles: [dayWithAmounts(candle, own, until)], asked: undefined };
}

/** What is settled of a series, by the years or months that it touches; each with its part of what providers were asked for. */
function partsOf(
  series: CoveredSeries,
  base: BaseInterval,
): (readonly [time: number, part: CoveredSeries])[] {
  const stepMs = steps[base];
  const { candles, asked } = settledPart(series, stepMs);
  const [first, last] = [candles[0]?.opensAt, candles.at(-1)?.opensAt];
  const from = Math.min(asked?.from ?? Number.POSITIVE_INFINITY, first ?? Number.POSITIVE_INFINITY);
  const to = Math.max(asked?.to ?? 0, last === undefined ? 0 : last + stepMs);
  return periodsIn(base, { from, to }).map((part) => [
    part.from,
    {
      candles: candles.filter(({ opensAt }) => opensAt >= part.from && opensAt < part.to),
      asked: asked && within(asked, part),
    },
  ]);
}

function within(
  asked: { readonly from: number; readonly to: number },
  part: { readonly from: number; readonly to: number },
) {
  const [from, to] = [Math.max(asked.from, part.from), Math.min(asked.to, part.to)];
  return from < to ? { from, to } : undefined;
}

async function readCoin(store: HistoryStore, name: string): Promise<Stored | undefined> {
  const { content, etag } = await store.open(name, coinIn);
  return etag === undefined ? undefined : { name, etag, coin: content };
}

/** Takes the series out of a coin's object, which are in the shards by now; removes it if nothing else in it counts. */
async function takeOut(store: HistoryStore, { name, etag, coin }: Stored, now: number): Promise<void> {
  const left = coin && { ...coin.object, series: {} };
  const isNeeded = left && isAlive(left, now);
  if (isNeeded && Object.keys(coin.object.series).length === 0) return;
  try {
    if (isNeeded) await store.objects.put(name, encodeCoin(coin.id, left), BINARY, replacing(etag));
    else await store.objects.remove(name, etag);
  } catch (error) {
    // Somebody has added to it: the next run merges all of it once more.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Whether a ticker may still stand in for a newer one, or a refusal still counts. */
function isAlive({ ticker, refusals }: CoinObject, now: number): boolean {
  const isRecent = ticker !== undefined && now - ticker.storedAt < lifetimes.inactiveMs;
  return isRecent || Object.values(refusals).some(({ until }) => until > now);
}
