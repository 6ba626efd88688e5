import { askedTogether } from '../../../shared/marketdata/store/asked.ts';
import { type DayOfHours, encodeHours, openHours } from '../../../shared/marketdata/store/hours-file.ts';
import { HISTORY_PREFIX, monthText, objectNames } from '../../../shared/marketdata/store/names.ts';
import { DAY_MS, HOUR_MS, historyIn } from '../../../shared/marketdata/store/reader.ts';
import { openSamples, type Samples } from '../../../shared/marketdata/store/sample-file.ts';
import { encodeSeries, openSeries, type Series } from '../../../shared/marketdata/store/series-file.ts';
import { StoreError } from '../../../shared/marketdata/store/store-error.ts';
import { joined, type StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import { count } from '../../../shared/platform/metrics.ts';
import { nothingYet, type Objects, objectsOf, type StoredObject } from '../../../shared/platform/objects.ts';
import {
  ConditionFailed,
  type ListObjects,
  listerOf,
  type PutObject,
  publisherOf,
  replacing,
} from '../../../shared/platform/publish-object.ts';
import { again } from './again.ts';
import { dayCandles } from './day-candle.ts';
import { type HoursOfDay, keptHours } from './kept-hours.ts';

const READ_TIMEOUT_MS = 10_000;
const BINARY = 'application/octet-stream';

/** An object with what it takes to replace that one and no other. */
export interface Stored<T> {
  /** Undefined if it cannot be used: that is no reason to leave it there. */
  readonly content: T | undefined;
  readonly etag: string | undefined;
}

/** A part of a series that is to be stored. */
export type Addition = Pick<Series, 'candles' | 'asked'>;

/**
 * Our own history as jobs have it. Times in milliseconds since the epoch. Throws what reading and the AWS SDK throw, and
 * ConditionFailed if somebody else was quicker.
 */
export interface HistoryStore {
  /** False if there are samples of that slot already, of the snapshot's job or of this source of token prices. */
  putSamples(bytes: Uint8Array, takenAt: number, intervalMs: number, tokenSource?: string): Promise<boolean>;
  /** The names of a day's samples, ascending. */
  samplesOf(day: number): Promise<string[]>;
  /** Undefined if they are gone, or cannot be used. */
  samples(name: string): Promise<Samples | undefined>;
  hours(day: number): Promise<Stored<DayOfHours> | undefined>;
  /** In place of those with this ETag; undefined: if there are none. */
  putHours(hours: DayOfHours, etag: string | undefined): Promise<void>;
  /** The same of the hours that exchanges told. */
  exact(day: number): Promise<Stored<DayOfHours> | undefined>;
  putExact(hours: DayOfHours, etag: string | undefined): Promise<void>;
  daily(id: string): Promise<Series | undefined>;
  /** The hours of a month. */
  hourly(id: string, time: number): Promise<Series | undefined>;
  /**
   * Adds days to those of a coin, whatever others add meanwhile; to those of the kept hours, if what is there cannot be
   * used. Returns whether anything changed.
   */
  addDays(id: string, addition: Addition): Promise<boolean>;
  /** The same for hours, all of the month of `time`. */
  addHours(id: string, time: number, addition: Addition): Promise<boolean>;
  /** A small object of JSON. */
  note(name: string): Promise<Stored<unknown> | undefined>;
  putNote(name: string, content: unknown, etag: string | undefined): Promise<void>;
}

/** What the store is made of: objects below its prefix, wherever they lie. */
export interface Bucket {
  readonly objects: Pick<Objects, 'get' | 'getRange'>;
  readonly put: PutObject;
  readonly list: ListObjects;
}

export function historyStore(bucket: string): HistoryStore {
  return historyStoreIn({
    objects: objectsOf(bucket, HISTORY_PREFIX),
    put: publisherOf(bucket, HISTORY_PREFIX),
    list: listerOf(bucket, HISTORY_PREFIX),
  });
}

export function historyStoreIn({ objects, put, list }: Bucket): HistoryStore {
  const kept = keptHours(historyIn(objects));
  const get = (name: string) => objects.get(name, AbortSignal.timeout(READ_TIMEOUT_MS)).catch(nothingYet);

  async function read<T>(
    name: string,
    open: (bytes: Uint8Array) => T,
  ): Promise<(Stored<T> & StoredObject) | undefined> {
    const object = await get(name);
    return object && { ...object, content: usable(object, open) };
  }

  /** Joins candles to those that are there; to what was kept elsewhere, if those cannot be used. */
  function add(
    name: string,
    of: Pick<Series, 'id' | 'stepMs'>,
    { candles, asked }: Addition,
    fromHours: (day: HoursOfDay) => readonly StoredCandle[],
  ): Promise<boolean> {
    return again(async () => {
      const before = await read(name, (bytes) => openSeries(bytes, of));
      const isLost = before && before.content === undefined;
      const known = isLost ? (await kept(of.id)).flatMap(fromHours) : (before?.content?.candles ?? []);
      const all = joined(known, candles, of.stepMs);
      const reach = askedTogether(before?.content?.asked, asked, { ...of, candles: all });
      const bytes = encodeSeries({ ...of, candles: all, asked: reach });
      if (before && Buffer.compare(bytes, before.bytes) === 0) return false;
      await put(name, bytes, BINARY, replacing(before?.etag));
      return true;
    });
  }

  return {
    async putSamples(bytes, takenAt, intervalMs, tokenSource) {
      try {
        await put(objectNames.samples(takenAt, intervalMs, tokenSource), bytes, BINARY, replacing(undefined));
        return true;
      } catch (error) {
        if (error instanceof ConditionFailed) return false;
        throw error;
      }
    },
    samplesOf: (day) => list(objectNames.samplesOfDay(day)),
    samples: async (name) => (await read(name, openSamples))?.content,
    hours: (day) => read(objectNames.hours(day), openHours),
    putHours: (hours, etag) => put(objectNames.hours(hours.day), encodeHours(hours), BINARY, replacing(etag)),
    exact: (day) => read(objectNames.exact(day), openHours),
    putExact: (hours, etag) => put(objectNames.exact(hours.day), encodeHours(hours), BINARY, replacing(etag)),
    hourly: async (id, time) =>
      (await read(objectNames.hourly(id, time), (bytes) => openSeries(bytes, { id, stepMs: HOUR_MS })))
        ?.content,
    daily: async (id) =>
      (await read(objectNames.daily(id), (bytes) => openSeries(bytes, { id, stepMs: DAY_MS })))?.content,
    addDays: (id, addition) =>
      add(objectNames.daily(id), { id, stepMs: DAY_MS }, addition, ({ hours, intervalSeconds }) =>
        dayCandles(hours, intervalSeconds),
      ),
    addHours: (id, time, addition) =>
      add(objectNames.hourly(id, time), { id, stepMs: HOUR_MS }, addition, ({ hours }) =>
        hours.filter(({ opensAt }) => monthText(opensAt) === monthText(time)),
      ),
    note: (name) => read(name, (bytes): unknown => JSON.parse(Buffer.from(bytes).toString())),
    putNote: (name, content, etag) => put(name, JSON.stringify(content), 'application/json', replacing(etag)),
  };
}

function usable<T>({ bytes }: StoredObject, open: (bytes: Uint8Array) => T): T | undefined {
  try {
    return open(bytes);
  } catch (error) {
    if (!(error instanceof StoreError || error instanceof SyntaxError)) throw error;
    count('HistoryUnusable');
    return undefined;
  }
}
