import { StoreError } from '../../../shared/marketdata/binary-file.ts';
import {
  type DayOfHours,
  encodeHours,
  hoursIn,
  isWhole,
  openCandles,
} from '../../../shared/marketdata/store/candle-files.ts';
import { type CoveredSeries, joinedCoverage } from '../../../shared/marketdata/store/candle-rows.ts';
import {
  bases,
  encodeCoin,
  noCoinObject,
  openCoin,
  withSeries,
} from '../../../shared/marketdata/store/coin-object.ts';
import { HISTORY_PREFIX, objectNames, periodsIn, steps } from '../../../shared/marketdata/store/names.ts';
import { type HistoryReader, historyIn } from '../../../shared/marketdata/store/reader.ts';
import { openSamples, type Samples } from '../../../shared/marketdata/store/samples.ts';
import { joined } from '../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../shared/marketdata/window.ts';
import { type Objects, objectsOf, replacing, retryOnConflict } from '../../../shared/platform/objects.ts';
import { jsonIn, type Opened, openFrom } from '../../../shared/platform/stored-object.ts';

export const BINARY = 'application/octet-stream';

/** Candles to be stored, by their length. */
export type Additions = Readonly<Partial<Record<BaseInterval, CoveredSeries>>>;

/** A time range in milliseconds since the epoch, exclusive at the end. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** The store's objects below its prefix. */
export type HistoryObjects = Pick<Objects, 'get' | 'getRange' | 'put' | 'remove' | 'list'>;

/** Callers look no further back: exchanges are queried for two years, providers for one. */
const YEARS_BACK = 2;
const READ_TIMEOUT_MS = 10_000;

export type HistoryStore = ReturnType<typeof historyStoreIn>;

export function historyStore(bucket: string): HistoryStore {
  return historyStoreIn(objectsOf(bucket, HISTORY_PREFIX));
}

/**
 * The history for jobs. Objects that are about to be replaced and cannot be opened are set aside first (`openFrom`). Times are
 * in milliseconds since the epoch. Throws what opening and `Objects` throw, and ConditionFailed if another writer was quicker.
 */
export function historyStoreIn(objects: HistoryObjects) {
  const open = openFrom(objects);
  const merged = seriesReader(historyIn(objects));
  const coinOf = (id: string) => open(objectNames.coin(id), (bytes) => openCoin(bytes, id));

  /** Rows from the shards and the coin's object. */
  async function seriesOf(base: BaseInterval, id: string, part: Part): Promise<CoveredSeries | undefined> {
    const parts = periodsIn(base, part);
    const all = await Promise.all([
      ...parts.map(({ from }) => merged(base, id, from)),
      coinOf(id).then(({ content }) => within(content?.series[base], part)),
    ]);
    return together(
      all.filter((series) => series !== undefined),
      steps[base],
    );
  }

  return {
    /** The objects themselves, for the roll-up. */
    objects,
    open,
    /** False if samples of that slot exist already, of the snapshot's job or of this source of token prices. */
    putSamples: (bytes: Uint8Array, takenAt: number, intervalMs: number, tokenSource?: string) =>
      retryOnConflict(async () => {
        const name = objectNames.samples(takenAt, intervalMs, tokenSource);
        const { content, etag } = await open(name, openSamples);
        if (content) return false;
        await objects.put(name, bytes, BINARY, replacing(etag));
        return true;
      }),
    /** The names of a day's samples, ascending. */
    samplesOf: (day: number) => objects.list(objectNames.samplesOfDay(day)),
    /** Undefined if they were removed or cannot be opened. */
    samples: async (name: string): Promise<Samples | undefined> => (await open(name, openSamples)).content,
    /** A day's hours, made of samples. */
    hours: (day: number) => open(objectNames.hours(day), openCandles, isWhole),
    /** Replaces the hours with this ETag; undefined: creates them. */
    putHours: (bytes: Uint8Array, day: number, etag: string | undefined) =>
      objects.put(objectNames.hours(day), bytes, BINARY, replacing(etag)),
    /** A day's hours, as exchanges report them. */
    async exact(day: number): Promise<Opened<DayOfHours>> {
      const opened = await open(objectNames.exact(day), openCandles, isWhole);
      return { ...opened, content: opened.content && hoursIn(opened.content) };
    },
    putExact: (hours: DayOfHours, etag: string | undefined) =>
      objects.put(objectNames.exact(hours.day), encodeHours(hours), BINARY, replacing(etag)),
    /** A coin's days of this year and the two before; undefined if there are none. */
    daily(id: string) {
      const now = Date.now();
      return seriesOf('24h', id, { from: Date.UTC(new Date(now).getUTCFullYear() - YEARS_BACK, 0), to: now });
    },
    /** A coin's hours of the months that a time touches. */
    hourly: (id: string, part: Part) => seriesOf('1h', id, part),
    /**
     * Adds candles to a coin's object, also if others add at the same time; the roll-up merges them into the shards. Returns
     * whether anything changed.
     */
    addToCoin: (id: string, additions: Additions) =>
      retryOnConflict(async () => {
        const before = await coinOf(id);
        let coin = before.content ?? noCoinObject;
        for (const base of bases) {
          const more = additions[base];
          if (more) coin = withSeries(coin, base, more);
        }
        const bytes = encodeCoin(id, coin);
        if (before.bytes && Buffer.compare(bytes, before.bytes) === 0) return false;
        await objects.put(objectNames.coin(id), bytes, BINARY, replacing(before.etag));
        return true;
      }),
    /** A small object of JSON; `read` throws if it is invalid. */
    note: <T>(name: string, read: (content: unknown) => T) => open(name, (bytes) => read(jsonIn(bytes))),
    putNote: (name: string, content: unknown, etag: string | undefined) =>
      objects.put(name, JSON.stringify(content), 'application/json', replacing(etag)),
  };
}

function within(series: CoveredSeries | undefined, { from, to }: Part): CoveredSeries | undefined {
  if (!series) return undefined;
  const coverage = series.coverage && {
    from: Math.max(series.coverage.from, from),
    to: Math.min(series.coverage.to, to),
  };
  const candles = series.candles.filter(({ opensAt }) => opensAt >= from && opensAt < to);
  const isCovered = coverage !== undefined && coverage.from < coverage.to;
  return isCovered || candles.length > 0
    ? { candles, coverage: isCovered ? coverage : undefined }
    : undefined;
}

function together(all: readonly CoveredSeries[], stepMs: number): CoveredSeries | undefined {
  const [first, ...others] = all;
  return (
    first &&
    others.reduce((one, other) => {
      const candles = joined(one.candles, other.candles, stepMs);
      const times = new Set(candles.map(({ opensAt }) => opensAt));
      return {
        candles,
        coverage: joinedCoverage(one.coverage, other.coverage, (time) => times.has(time), stepMs),
      };
    }, first)
  );
}

/** Reads a coin's row of a shard. Each table is read once, and again if the shard has changed since. */
function seriesReader(reader: HistoryReader) {
  const tables = new Map<string, ReturnType<HistoryReader['table']>>();
  const signal = () => AbortSignal.timeout(READ_TIMEOUT_MS);

  async function read(name: string, id: string, stepMs: number): Promise<CoveredSeries | undefined> {
    const reading = tables.get(name) ?? reader.table(name, signal());
    tables.set(name, reading);
    const table = await reading;
    return table && reader.series(name, table, { id, stepMs }, signal());
  }

  return async (base: BaseInterval, id: string, time: number): Promise<CoveredSeries | undefined> => {
    const name = objectNames.series(base, id, time);
    try {
      return await read(name, id, steps[base]);
    } catch {
      tables.delete(name);
    }
    try {
      return await read(name, id, steps[base]);
    } catch (error) {
      tables.delete(name);
      // The roll-up sets it aside.
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  };
}
