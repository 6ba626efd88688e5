import { REST_MS } from '../platform/held.ts';
import { messageOf } from '../platform/message-of.ts';
import { count } from '../platform/metrics.ts';
import { type SharedTable, TableUnavailable } from '../platform/table.ts';
import { monotonicMs, timeOutOf } from '../platform/waiting.ts';

/**
 * The table as an optional service: every failure is a TableUnavailable, and after one the table is not used for `restMs`, so an
 * outage costs one time-out and not many. A call that was frozen with its container says nothing about the table, and starts no
 * rest. The table is opened at the first call, and limits the time of each by itself.
 */
export function guardedTable(open: () => Promise<SharedTable>, restMs = REST_MS): SharedTable {
  let opened: Promise<SharedTable> | undefined;
  let restsUntil = Number.NEGATIVE_INFINITY;

  async function openOnce(): Promise<SharedTable> {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = undefined;
      throw new TableUnavailable('the shared table cannot be opened', { cause: error });
    }
  }

  async function call<T>(run: (table: SharedTable) => Promise<T>): Promise<T> {
    if (monotonicMs() < restsUntil) throw new TableUnavailable('the shared table is given a rest');
    const table = await openOnce();
    try {
      return await run(table);
    } catch (error) {
      if (timeOutOf(error) !== 'frozen') restsUntil = monotonicMs() + restMs;
      count('SharedStoreFailures');
      throw new TableUnavailable(`the shared table is unavailable: ${messageOf(error)}`, { cause: error });
    }
  }

  return {
    get: (key) => call((table) => table.get(key)),
    update: (key, change) => call((table) => table.update(key, change)),
  };
}
