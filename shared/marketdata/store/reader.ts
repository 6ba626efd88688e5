import { type ByteRange, nothingYet, type Objects, objectsOf } from '../../platform/objects.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import { type HoursTable, openHoursRow, openHoursTable } from './hours-file.ts';
import { HISTORY_PREFIX, objectNames } from './names.ts';
import { openSamples, type Samples } from './sample-file.ts';
import { openSeries, type Series } from './series-file.ts';
import type { StoredCandle } from './stored-candle.ts';

/**
 * Our own history. Times in milliseconds since the epoch; undefined for what is not stored. Throws StoreError for an
 * object that cannot be used, S3Error for what S3 answers against a request, and TransportError if it does not answer.
 */
export interface HistoryReader {
  daily(id: string, signal: AbortSignal): Promise<Series | undefined>;
  /** The hours of the month in which the time is. */
  hourly(id: string, time: number, signal: AbortSignal): Promise<Series | undefined>;
  /** Where the hours of a day are; good for all its coins until a row says otherwise. */
  hoursTable(day: number, signal: AbortSignal): Promise<HoursTable | undefined>;
  /** Ascending. A row that is no longer where the table says throws StoreError. */
  hours(table: HoursTable, id: string, signal: AbortSignal): Promise<StoredCandle[]>;
  /** The same of the hours that exchanges told of a day, the running one included. */
  exactTable(day: number, signal: AbortSignal): Promise<HoursTable | undefined>;
  exactHours(table: HoursTable, id: string, signal: AbortSignal): Promise<StoredCandle[]>;
  /** The samples of the slot in which the time is; those of the snapshot's job, unless a source of token prices is named. */
  samples(
    time: number,
    intervalMs: number,
    signal: AbortSignal,
    tokenSource?: string,
  ): Promise<Samples | undefined>;
}

/** Enough for the table of some 2,500 coins, in one read. */
const TABLE_GUESS_BYTES = 64 * 1024;

/** Opens the history in an S3 bucket. */
export function historyReader(bucket: string): HistoryReader {
  return historyIn(objectsOf(bucket, HISTORY_PREFIX));
}

/** The history in objects, wherever they lie. */
export function historyIn(objects: Pick<Objects, 'get' | 'getRange'>): HistoryReader {
  const whole = async (name: string, signal: AbortSignal) =>
    (await objects.get(name, signal).catch(nothingYet))?.bytes;
  const part = async (name: string, range: ByteRange, signal: AbortSignal) =>
    (await objects.getRange(name, range, signal).catch(nothingYet))?.bytes;

  async function tableIn(name: string, signal: AbortSignal): Promise<HoursTable | undefined> {
    let needed = TABLE_GUESS_BYTES;
    for (;;) {
      const beginning = await part(name, [0, needed - 1], signal);
      if (!beginning) return undefined;
      const table = openHoursTable(beginning, needed);
      if (typeof table !== 'number') return table;
      needed = table;
    }
  }

  async function rowIn(name: string, table: HoursTable, id: string, signal: AbortSignal) {
    const range = table.rangeOf(id);
    const row = range && (await part(name, range, signal));
    return row ? openHoursRow(row, id, table) : [];
  }

  return {
    async daily(id, signal) {
      const bytes = await whole(objectNames.daily(id), signal);
      return bytes && openSeries(bytes, { id, stepMs: DAY_MS });
    },
    async hourly(id, time, signal) {
      const bytes = await whole(objectNames.hourly(id, time), signal);
      return bytes && openSeries(bytes, { id, stepMs: HOUR_MS });
    },
    hoursTable: (day, signal) => tableIn(objectNames.hours(day), signal),
    hours: (table, id, signal) => rowIn(objectNames.hours(table.day), table, id, signal),
    exactTable: (day, signal) => tableIn(objectNames.exact(day), signal),
    exactHours: (table, id, signal) => rowIn(objectNames.exact(table.day), table, id, signal),
    async samples(time, intervalMs, signal, tokenSource) {
      const bytes = await whole(objectNames.samples(time, intervalMs, tokenSource), signal);
      return bytes && openSamples(bytes);
    },
  };
}
