import {
  type CandleFile,
  type DayOfHours,
  encodeHours,
  hoursIn,
  isWhole,
  openCandles,
} from '../../../shared/marketdata/store/candle-files.ts';
import { type CoveredSeries, joinedCoverage } from '../../../shared/marketdata/store/candle-rows.ts';
import {
  encodeCoin,
  noCoinObject,
  openCoin,
  withSeries,
} from '../../../shared/marketdata/store/coin-object.ts';
import { HISTORY_PREFIX, objectNames, periodsIn } from '../../../shared/marketdata/store/names.ts';
import { type HistoryReader, historyIn } from '../../../shared/marketdata/store/reader.ts';
import { openSamples, type Samples } from '../../../shared/marketdata/store/samples.ts';
import { StoreError } from '../../../shared/marketdata/store/store-error.ts';
import { joined } from '../../../shared/marketdata/store/stored-candle.ts';
import type { BaseInterval } from '../../../shared/marketdata/window.ts';
import { again, type Objects, objectsOf, replacing } from '../../../shared/platform/objects.ts';
import { jsonIn, type Opened, type OpenObject, openFrom } from '../../../shared/platform/stored-object.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';

export const BINARY = 'application/octet-stream';

/** Candles that are to be stored, by their length. */
export type Additions = Readonly<Partial<Record<BaseInterval, CoveredSeries>>>;

/** A part of the time, milliseconds since the epoch, exclusive at the end. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Our own history as jobs have it. What is read to be replaced and cannot be opened is set aside first (`openFrom`). Times
 * in milliseconds since the epoch. Throws what opening and `Objects` throw, and ConditionFailed if somebody else was
 * quicker.
 */
export interface HistoryStore {
  /** False if there are samples of that slot already, of the snapshot's job or of this source of token prices. */
  putSamples(bytes: Uint8Array, takenAt: number, intervalMs: number, tokenSource?: string): Promise<boolean>;
  /** The names of a day's samples, ascending. */
  samplesOf(day: number): Promise<string[]>;
  /** Undefined if they are gone, or cannot be opened. */
  samples(name: string): Promise<Samples | undefined>;
  /** The hours of a day as they were sampled. */
  hours(day: number): Promise<Opened<CandleFile>>;
  /** In place of those with this ETag; undefined: if there are none. */
  putHours(bytes: Uint8Array, day: number, etag: string | undefined): Promise<void>;
  /** The same of the hours that exchanges have. */
  exact(day: number): Promise<Opened<DayOfHours>>;
  putExact(hours: DayOfHours, etag: string | undefined): Promise<void>;
  /** A coin's days of this year and the two before; undefined if there are none. */
  daily(id: string): Promise<CoveredSeries | undefined>;
  /** A coin's hours of the months that a time touches. */
  hourly(id: string, part: Part): Promise<CoveredSeries | undefined>;
  /**
   * Adds candles to a coin's object, whatever others add meanwhile; the roll-up merges them into the shards. Returns
   * whether anything changed.
   */
  addToCoin(id: string, additions: Additions): Promise<boolean>;
  /** A small object of JSON; `read` throws if it is not what it should be. */
  note<T>(name: string, read: (content: unknown) => T): Promise<Opened<T>>;
  putNote(name: string, content: unknown, etag: string | undefined): Promise<void>;
  /** For the roll-up: the objects themselves. */
  readonly objects: HistoryObjects;
  readonly open: OpenObject;
}

/** What the store is made of: objects below its prefix, wherever they lie. */
export type HistoryObjects = Pick<Objects, 'get' | 'getRange' | 'put' | 'remove' | 'list'>;

/** Who asks for a coin's days looks back no further: exchanges are asked for two years, providers for one. */
const YEARS_BACK = 2;
const READ_TIMEOUT_MS = 10_000;

export function historyStore(bucket: string): HistoryStore {
  return historyStoreIn(objectsOf(bucket, HISTORY_PREFIX));
}

export function historyStoreIn(objects: HistoryObjects): HistoryStore {
  const open = openFrom(objects);
  const merged = seriesReader(historyIn(objects));
  const coinOf = (id: string) => open(objectNames.coin(id), (bytes) => openCoin(bytes, id));

  /** Of the shards and the coin's own object. */
  async function seriesOf(base: BaseInterval, id: string, part: Part): Promise<CoveredSeries | undefined> {
    const parts = periodsIn(base, part);
    const all = await Promise.all([
      ...parts.map(({ from }) => merged(base, id, from)),
      coinOf(id).then(({ content }) => within(content?.series[base], part)),
    ]);
    return together(
      all.filter((series) => series !== undefined),
      base === '24h' ? DAY_MS : HOUR_MS,
    );
  }

  return {
    putSamples: (bytes, takenAt, intervalMs, tokenSource) =>
      again(async () => {
        const name = objectNames.samples(takenAt, intervalMs, tokenSource);
        const { content, etag } = await open(name, openSamples);
        if (content) return false;
        await objects.put(name, bytes, BINARY, replacing(etag));
        return true;
      }),
    samplesOf: (day) => objects.list(objectNames.samplesOfDay(day)),
    samples: async (name) => (await open(name, openSamples)).content,
    hours: (day) => open(objectNames.hours(day), openCandles, isWhole),
    putHours: (bytes, day, etag) => objects.put(objectNames.hours(day), bytes, BINARY, replacing(etag)),
    async exact(day) {
      const opened = await open(objectNames.exact(day), openCandles, isWhole);
      return { ...opened, content: opened.content && hoursIn(opened.content) };
    },
    putExact: (hours, etag) =>
      objects.put(objectNames.exact(hours.day), encodeHours(hours), BINARY, replacing(etag)),
    daily(id) {
      const now = Date.now();
      return seriesOf('24h', id, { from: Date.UTC(new Date(now).getUTCFullYear() - YEARS_BACK, 0), to: now });
    },
    hourly: (id, part) => seriesOf('1h', id, part),
    addToCoin: (id, additions) =>
      again(async () => {
        const before = await coinOf(id);
        let coin = before.content ?? noCoinObject;
        for (const base of ['24h', '1h'] as const) {
          const more = additions[base];
          if (more) coin = withSeries(coin, base, more);
        }
        const bytes = encodeCoin(id, coin);
        if (before.bytes && Buffer.compare(bytes, before.bytes) === 0) return false;
        await objects.put(objectNames.coin(id), bytes, BINARY, replacing(before.etag));
        return true;
      }),
    note: (name, read) => open(name, (bytes) => read(jsonIn(bytes))),
    putNote: (name, content, etag) =>
      objects.put(name, JSON.stringify(content), 'application/json', replacing(etag)),
    objects,
    open,
  };
}

function within(series: CoveredSeries | undefined, { from, to }: Part): CoveredSeries | undefined {
  if (!series) return undefined;
  const asked = series.asked && {
    from: Math.max(series.asked.from, from),
    to: Math.min(series.asked.to, to),
  };
  const candles = series.candles.filter(({ opensAt }) => opensAt >= from && opensAt < to);
  const isAsked = asked !== undefined && asked.from < asked.to;
  return isAsked || candles.length > 0 ? { candles, asked: isAsked ? asked : undefined } : undefined;
}

function together(all: readonly CoveredSeries[], stepMs: number): CoveredSeries | undefined {
  const [first, ...others] = all;
  return (
    first &&
    others.reduce((one, other) => {
      const candles = joined(one.candles, other.candles, stepMs);
      const times = new Set(candles.map(({ opensAt }) => opensAt));
      return { candles, asked: joinedCoverage(one.asked, other.asked, (time) => times.has(time), stepMs) };
    }, first)
  );
}

/** Reads a coin's row of a shard; each table once, and once more if the shard has changed since. */
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
    const stepMs = base === '24h' ? DAY_MS : HOUR_MS;
    try {
      return await read(name, id, stepMs);
    } catch {
      tables.delete(name);
    }
    try {
      return await read(name, id, stepMs);
    } catch (error) {
      tables.delete(name);
      // The roll-up sets it aside.
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  };
}
