import { type DayOfHours, hoursIn, openCandles } from '../../../shared/marketdata/store/candle-files.ts';
import { encodeHours } from '../../../shared/marketdata/store/candle-files-writer.ts';
import { addCandles } from '../../../shared/marketdata/store/coin-changes.ts';
import { type CoinCandles, coinCandles } from '../../../shared/marketdata/store/coin-object.ts';
import { CoinObjects } from '../../../shared/marketdata/store/coin-objects.ts';
import { HISTORY_PREFIX, objectNames } from '../../../shared/marketdata/store/names.ts';
import { historyIn } from '../../../shared/marketdata/store/reader.ts';
import { openSamples, type Samples } from '../../../shared/marketdata/store/samples.ts';
import { StoredHistory } from '../../../shared/marketdata/store/stored-history.ts';
import { type Objects, objectsOf, replacing, retryOnConflict } from '../../../shared/platform/objects.ts';
import { jsonIn, type Opened, openFrom } from '../../../shared/platform/stored-object.ts';

export const BINARY = 'application/octet-stream';

/** A time range in milliseconds since the epoch, exclusive at the end. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** The store's objects below its prefix. */
export type HistoryObjects = Omit<Objects, 'remove'>;

/** Callers look no further back: exchanges are queried for two years, providers for one. */
const YEARS_BACK = 2;
const READ_TIMEOUT_MS = 10_000;

export type HistoryStore = ReturnType<typeof historyStoreIn>;

export function historyStore(bucket: string): HistoryStore {
  return historyStoreIn(objectsOf(bucket, HISTORY_PREFIX));
}

/**
 * The history for jobs. If an object cannot be opened and a job can make it anew, it is set aside before it is replaced
 * (`openFrom`). A shard or a coin's candles stay as they are until somebody restores them. Times are in milliseconds since the
 * epoch. Throws what opening and `Objects` throw, and ConditionFailed if another writer was quicker.
 */
export function historyStoreIn(objects: HistoryObjects) {
  const open = openFrom(objects);
  const coins = new CoinObjects(objects, coinCandles, READ_TIMEOUT_MS);
  const reader = historyIn(objects);
  const history = new StoredHistory({
    reader,
    fetched: (id) => coins.read(id),
    readMs: READ_TIMEOUT_MS,
  });

  return {
    /** The objects themselves, for the roll-up. */
    objects,
    open,
    reader,
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
    hours: (day: number) => open(objectNames.hours(day), openCandles),
    /** Replaces the hours with this ETag; undefined: creates them. */
    putHours: (bytes: Uint8Array, day: number, etag: string | undefined) =>
      objects.put(objectNames.hours(day), bytes, BINARY, replacing(etag)),
    /** A day's hours, as exchanges report them. */
    async exact(day: number): Promise<Opened<DayOfHours>> {
      const opened = await open(objectNames.exact(day), openCandles);
      return { ...opened, content: opened.content && hoursIn(opened.content) };
    },
    putExact: (hours: DayOfHours, etag: string | undefined) =>
      objects.put(objectNames.exact(hours.day), encodeHours(hours), BINARY, replacing(etag)),
    /** A coin's finished days of this year and the two before. */
    daily(id: string) {
      const now = Date.now();
      const from = Date.UTC(new Date(now).getUTCFullYear() - YEARS_BACK, 0);
      return history.closed(id, { base: '24h', from, to: now });
    },
    /** A coin's finished hours in a span. */
    hourly: (id: string, part: Part) => history.closed(id, { base: '1h', ...part }),
    /** Adds candles to those that were fetched for a coin, also if others add at the same time. Returns whether any is new. */
    addToCoin: (id: string, more: CoinCandles) => addCandles(coins, id, more),
    /** A small object of JSON; `read` throws if it is invalid. */
    note: <T>(name: string, read: (content: unknown) => T) => open(name, (bytes) => read(jsonIn(bytes))),
    putNote: (name: string, content: unknown, etag: string | undefined) =>
      objects.put(name, JSON.stringify(content), 'application/json', replacing(etag)),
  };
}
