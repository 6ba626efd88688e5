import { StoreError } from '../../../../shared/marketdata/binary-file.ts';
import {
  type CandleFile,
  type DayOfHours,
  openCandles,
} from '../../../../shared/marketdata/store/candle-files.ts';
import { encodeCandles } from '../../../../shared/marketdata/store/candle-files-writer.ts';
import { type CoveredSeries, readSeries } from '../../../../shared/marketdata/store/candle-rows.ts';
import { bases } from '../../../../shared/marketdata/store/coin-object.ts';
import { dayOf, dayWithAmounts, withExact } from '../../../../shared/marketdata/store/exact-hours.ts';
import { seriesName, shardOf, shards, steps } from '../../../../shared/marketdata/store/names.ts';
import { joinSeries, type SeriesFormat } from '../../../../shared/marketdata/store/series-writer.ts';
import { SourceList } from '../../../../shared/marketdata/store/source-list.ts';
import type { StoredCandle } from '../../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../../shared/marketdata/window.ts';
import { ifMissing, replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/platform/time.ts';
import { BINARY, type HistoryStore } from '../history-store.ts';

/** All coins' hours of a day. */
interface Day {
  readonly day: number;
  readonly sampled: CandleFile | undefined;
  readonly exact: DayOfHours | undefined;
}

const READ_TIMEOUT_MS = 30_000;

/**
 * Merges a completed day's hours into the shards, each of which is put once a year of days and a month of hours. The day of a
 * `revised` coin replaces the stored one. Safe to repeat after any step. A shard that cannot be merged, because it is damaged or
 * the store fails, does not hold up the others: it is added to `failed`, with the reason, and left out until the next run, so that
 * no day of it is skipped.
 */
export async function mergeDay(
  store: HistoryStore,
  day: number,
  sampled: CandleFile | undefined,
  {
    failed,
    revised = new Set(),
  }: { readonly failed: Map<string, unknown>; readonly revised?: ReadonlySet<string> },
): Promise<void> {
  const hours: Day = { day, sampled, exact: (await store.exact(day)).content };
  const ids = Map.groupBy(idsOf(hours), shardOf);
  for (const shard of shards) {
    if (failed.has(shard)) continue;
    try {
      for (const base of bases) {
        const added = (ids.get(shard) ?? []).flatMap((id) => {
          const series = seriesOfDay(hours, id, base);
          return series ? [[id, series] as const] : [];
        });
        const name = seriesName(base, day, shard);
        const merge = () => mergeInto(store, name, { base, day, added, revised });
        await retryOnConflict(merge).catch((error: unknown) => {
          throw error instanceof StoreError ? new StoreError(`${name}: ${error.message}`) : error;
        });
      }
    } catch (error) {
      failed.set(shard, error);
    }
  }
}

interface Merging {
  readonly base: BaseInterval;
  readonly day: number;
  readonly added: readonly (readonly [id: string, series: CoveredSeries])[];
  readonly revised: ReadonlySet<string>;
}

/** Throws StoreError for a shard that cannot be opened: it is not replaced until it is restored. */
async function mergeInto(
  store: HistoryStore,
  name: string,
  { base, day, added, revised }: Merging,
): Promise<void> {
  if (added.length === 0) return;
  // A run that repeats another one's work reads no more than tables.
  const table = await store.reader.table(name, AbortSignal.timeout(READ_TIMEOUT_MS));
  if (table && table.time >= day + DAY_MS && revised.size === 0) return;
  const stepMs = steps[base];
  const stored = await store.objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(ifMissing);
  const known = stored && openCandles(stored.bytes);
  const sources = new SourceList(known?.sources);
  const rows = new Map(known?.rows.entries());
  for (const id of revised) {
    const row = rows.get(id);
    if (row) rows.set(id, withoutSampled(row, day, { stepMs, sources }));
  }
  for (const [id, series] of added) rows.set(id, joinSeries(rows.get(id), series, { stepMs, sources }));
  const time = Math.max(known?.time ?? 0, day + DAY_MS);
  const about = { time, intervalSeconds: 0, source: '', sources: sources.names };
  const bytes = encodeCandles(about, rows.entries());
  if (stored && Buffer.compare(bytes, stored.bytes) === 0) return;
  await store.objects.put(name, bytes, BINARY, replacing(stored?.etag));
}

/** A series without the candles of a day that are made of samples. */
function withoutSampled(row: Buffer, day: number, format: SeriesFormat): Buffer {
  const { candles, coverage } = readSeries(row, format.stepMs, format.sources.names);
  const isOther = ({ opensAt, samples }: StoredCandle) =>
    samples === 0 || opensAt < day || opensAt >= day + DAY_MS;
  return joinSeries(undefined, { candles: candles.filter(isOther), coverage }, format);
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
