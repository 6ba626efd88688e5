import { type HistoryStore, historyStoreIn } from '../../functions/marketdata/jobs/history-store.ts';
import { HISTORY_PREFIX, objectNames, periodOf } from '../../shared/marketdata/store/names.ts';
import { historyIn } from '../../shared/marketdata/store/reader.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import type { StoredRows } from '../../shared/marketdata/store/stored-history.ts';
import { type Objects, objectsOf } from '../../shared/platform/objects.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';

/** The stored candles of coins, in the shards or in objects of their own. */
interface StoredCoins {
  daily(id: string): Promise<StoredRows>;
  /** The hours of the month in which the time is. */
  hourly(id: string, time: number): Promise<StoredRows>;
  /** The hours of a running day. */
  hoursOn(day: number, id: string, kind?: 'hours' | 'exact'): Promise<readonly StoredCandle[]>;
}

export function storedIn(bucket: string): StoredCoins {
  return readOnly(objectsOf(bucket, HISTORY_PREFIX));
}

/** The stored coins among objects by path. */
export function storedAmong(objects: { get(path: string): Buffer | undefined }, bucket: string): StoredCoins {
  const bytesOf = (name: string) => {
    const path = `/${bucket}/${HISTORY_PREFIX}${name.split('/').map(encodeURIComponent).join('/')}`;
    const bytes = objects.get(path);
    if (!bytes) throw Object.assign(new Error(name), { name: 'NoSuchKey' });
    return bytes;
  };
  return readOnly({
    get: async (name) => ({ bytes: bytesOf(name), etag: '' }),
    getRange: async (name, [first, last]) => ({ bytes: bytesOf(name).subarray(first, last + 1), etag: '' }),
  });
}

function readOnly(objects: Pick<Objects, 'get' | 'getRange'>): StoredCoins {
  const nothing = async () => {};
  // Made anew for each read: the store reads a table once.
  const store = (): HistoryStore =>
    historyStoreIn({
      ...objects,
      getNewer: (name, _etag, { signal }) => objects.get(name, signal),
      put: nothing,
      list: async () => [],
    });
  const reader = historyIn(objects);
  return {
    daily: (id) => store().daily(id),
    hourly: (id, time) => store().hourly(id, periodOf('1h', time)),
    async hoursOn(day, id, kind = 'hours') {
      const name = objectNames[kind](day);
      const signal = AbortSignal.timeout(10_000);
      const table = await reader.table(name, signal);
      const series = table && (await reader.series(name, table, { id, stepMs: HOUR_MS }, signal));
      return series?.candles ?? [];
    },
  };
}
