import { askedTogether } from '../../../shared/marketdata/store/asked.ts';
import { type DayOfHours, encodeHours, openHours } from '../../../shared/marketdata/store/hours-file.ts';
import { HISTORY_PREFIX, monthText, objectNames } from '../../../shared/marketdata/store/names.ts';
import { historyIn } from '../../../shared/marketdata/store/reader.ts';
import { openSamples, type Samples } from '../../../shared/marketdata/store/sample-file.ts';
import { encodeSeries, openSeries, type Series } from '../../../shared/marketdata/store/series-file.ts';
import { StoreError } from '../../../shared/marketdata/store/store-error.ts';
import { joined, type StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import { count } from '../../../shared/platform/metrics.ts';
import {
  again,
  type ListObjects,
  type Objects,
  replacing,
  writableObjectsOf,
} from '../../../shared/platform/objects.ts';
import { type Bucket, jsonIn, type Opened, openFrom } from '../../../shared/platform/open-object.ts';
import { reportFault } from '../../../shared/platform/scheduled.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/platform/time.ts';
import { dayCandles } from './day-candle.ts';
import { type HoursOfDay, keptHours } from './kept-hours.ts';

const BINARY = 'application/octet-stream';

/** A part of a series that is to be stored. */
export type Addition = Pick<Series, 'candles' | 'asked'>;

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
  hours(day: number): Promise<Opened<DayOfHours>>;
  /** In place of those with this ETag; undefined: if there are none. */
  putHours(hours: DayOfHours, etag: string | undefined): Promise<void>;
  /** The same of the hours that exchanges told. */
  exact(day: number): Promise<Opened<DayOfHours>>;
  putExact(hours: DayOfHours, etag: string | undefined): Promise<void>;
  daily(id: string): Promise<Series | undefined>;
  /** The hours of a month. */
  hourly(id: string, time: number): Promise<Series | undefined>;
  /**
   * Adds days to those of a coin, whatever others add meanwhile; to those of the kept hours, if what is there cannot be
   * opened. Returns whether anything changed: nothing does if the coin cannot be stored, which is counted
   * (`CoinsNotStored`) and logged, so that it keeps no other waiting.
   */
  addDays(id: string, addition: Addition): Promise<boolean>;
  /** The same for hours, all of the month of `time`. */
  addHours(id: string, time: number, addition: Addition): Promise<boolean>;
  /** A small object of JSON; `read` throws if it is not what it should be. */
  note<T>(name: string, read: (content: unknown) => T): Promise<Opened<T>>;
  putNote(name: string, content: unknown, etag: string | undefined): Promise<void>;
}

/** What the store is made of: objects below its prefix, wherever they lie. */
export interface HistoryBucket extends Bucket {
  readonly objects: Pick<Objects, 'get' | 'getRange'>;
  readonly list: ListObjects;
}

export function historyStore(bucket: string): HistoryStore {
  const objects = writableObjectsOf(bucket, HISTORY_PREFIX);
  return historyStoreIn({ objects, put: objects.put, list: objects.list });
}

export function historyStoreIn({ objects, put, list }: HistoryBucket): HistoryStore {
  const kept = keptHours(historyIn(objects));
  const open = openFrom({ objects, put });
  const daysOf = (id: string) => ({ name: objectNames.daily(id), id, stepMs: DAY_MS });
  const hoursOf = (id: string, time: number) => ({
    name: objectNames.hourly(id, time),
    id,
    stepMs: HOUR_MS,
  });
  const seriesOf = async ({ name, ...of }: NamedSeries) =>
    (await open(name, (bytes) => openSeries(bytes, of))).content;
  const hours = (day: number) => open(objectNames.hours(day), openHours);
  const exact = (day: number) => open(objectNames.exact(day), openHours);
  const putDay = (name: string, day: DayOfHours, etag: string | undefined) =>
    put(name, encodeHours(day), BINARY, replacing(etag));

  /** Joins candles to those that are there; to what was kept elsewhere, if those cannot be opened. */
  function add(
    { name, ...of }: NamedSeries,
    { candles, asked }: Addition,
    fromHours: (day: HoursOfDay) => readonly StoredCandle[],
  ): Promise<boolean> {
    return again(async () => {
      const {
        content,
        setAside = content?.setAside,
        ...before
      } = await open(name, (bytes) => openSeries(bytes, of));
      const isLost = before.bytes && !content;
      const known = isLost ? (await kept(of.id)).flatMap(fromHours) : (content?.candles ?? []);
      const all = joined(known, candles, of.stepMs);
      const reach = askedTogether(content?.asked, asked, { ...of, candles: all });
      const bytes = encoded({ ...of, candles: all, asked: reach, setAside });
      if (!bytes || (before.bytes && Buffer.compare(bytes, before.bytes) === 0)) return false;
      await put(name, bytes, BINARY, replacing(before.etag));
      return true;
    });
  }

  return {
    putSamples: (bytes, takenAt, intervalMs, tokenSource) =>
      again(async () => {
        const name = objectNames.samples(takenAt, intervalMs, tokenSource);
        const { content, etag } = await open(name, openSamples);
        if (content) return false;
        await put(name, bytes, BINARY, replacing(etag));
        return true;
      }),
    samplesOf: (day) => list(objectNames.samplesOfDay(day)),
    samples: async (name) => (await open(name, openSamples)).content,
    hours,
    putHours: (day, etag) => putDay(objectNames.hours(day.day), day, etag),
    exact,
    putExact: (day, etag) => putDay(objectNames.exact(day.day), day, etag),
    hourly: (id, time) => seriesOf(hoursOf(id, time)),
    daily: (id) => seriesOf(daysOf(id)),
    addDays: (id, addition) =>
      add(daysOf(id), addition, ({ hours, intervalSeconds }) => dayCandles(hours, intervalSeconds)),
    addHours: (id, time, addition) =>
      add(hoursOf(id, time), addition, ({ hours }) =>
        hours.filter(({ opensAt }) => monthText(opensAt) === monthText(time)),
      ),
    note: (name, read) => open(name, (bytes) => read(jsonIn(bytes))),
    putNote: (name, content, etag) => put(name, JSON.stringify(content), 'application/json', replacing(etag)),
  };
}

interface NamedSeries extends Pick<Series, 'id' | 'stepMs'> {
  readonly name: string;
}

/** Undefined for a coin that the format cannot hold. */
function encoded(series: Series): Uint8Array | undefined {
  try {
    return encodeSeries(series);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    count('CoinsNotStored');
    reportFault(error.message);
    return undefined;
  }
}
