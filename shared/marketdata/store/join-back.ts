/** Joins an earlier content of a history object with its current one. */
import { replacing, retryOnConflict } from '../../platform/objects.ts';
import { type Bucket, openFrom } from '../../platform/stored-object.ts';
import { StoreError } from '../binary-file.ts';
import { type CandleFile, encodeCandles, isWhole, openCandles } from './candle-files.ts';
import { joinSeries, readSeries, SourceList } from './candle-rows.ts';
import { baseOf, kindOf, objectNames, seriesName, shardOf, steps } from './names.ts';

/** Whether an object of that name, below the prefix, can be joined: a shard's candles, or the hours of a day. */
export function canBeJoined(name: string): boolean {
  return kindOf(name) !== undefined;
}

/**
 * Joins an object's earlier candles, set aside or from a restored version, with its current ones. `name` is the object's usual name
 * below the prefix. Of two candles for one interval the better one stays, so nothing is lost, and joining twice changes nothing;
 * coins that can be read again are no longer set aside. Returns whether anything changed. Throws StoreError if the bytes cannot be
 * opened or belong to another shard or day, and what opening and puts throw.
 */
export async function joinBack(objects: Bucket, name: string, bytes: Uint8Array): Promise<boolean> {
  const open = openFrom(objects);
  const old = openCandles(bytes);
  assertName(name, old);
  const stepMs = steps[baseOf(name)];
  return retryOnConflict(async () => {
    const before = await open(name, openCandles, isWhole);
    const now = before.content;
    const sources = new SourceList(now?.sources);
    const rows = new Map(now?.rows.entries());
    for (const [id, content] of old.rows.entries()) {
      const series = readSeries(content, stepMs, old.sources);
      rows.set(id, joinSeries(rows.get(id), series, { stepMs, sources }));
    }
    const { intervalSeconds, source } = now ?? old;
    const time = Math.max(now?.time ?? 0, old.time);
    const setAside = old.setAside === 'all' ? old.setAside : [...old.setAside, ...old.rows.damaged];
    const all = encodeCandles({ time, intervalSeconds, source, sources: sources.names, setAside }, rows);
    if (before.bytes && Buffer.compare(all, before.bytes) === 0) return false;
    await objects.put(name, all, 'application/octet-stream', replacing(before.etag));
    return true;
  });
}

/** Throws StoreError if the file is not that of the name. */
function assertName(name: string, { time, rows, sources }: CandleFile): void {
  if (kindOf(name) === 'day') {
    if (name !== objectNames.hours(time) && name !== objectNames.exact(time))
      throw new StoreError(`Hours of ${new Date(time).toISOString()} are not those of ${name}`);
    return;
  }
  const base = baseOf(name);
  for (const [id, content] of rows.entries()) {
    const first = readSeries(content, steps[base], sources).candles[0];
    if (first && name !== seriesName(base, first.opensAt, shardOf(id)))
      throw new StoreError(`Candles of ${id} are not those of ${name}`);
  }
}
