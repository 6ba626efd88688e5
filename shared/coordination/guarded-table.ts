import { setImmediate as nextTurn } from 'node:timers/promises';
import { count } from '../platform/metrics.ts';
import { type SharedTable, TableUnavailable } from '../platform/table.ts';
import { withTimeout } from '../platform/with-timeout.ts';

interface Options {
  readonly timeoutMs?: number;
  /** For the first response, which needs a name look-up and a TLS handshake on a small share of a CPU. */
  readonly firstTimeoutMs?: number;
  /** The table is not used for this long after a failure, so an outage costs one time-out and not many. */
  readonly restMs?: number;
}

/** A timer that fires later than this means that the container was frozen meanwhile. */
const FROZEN_MS = 1_000;

/**
 * The table with a time-out on every call. Throws TableUnavailable if it fails or is too slow, and immediately for a while after
 * that. The table is opened at the first call, outside the time-out.
 */
export function guardedTable(
  open: () => Promise<SharedTable>,
  { timeoutMs = 200, firstTimeoutMs = 1_000, restMs = 5_000 }: Options = {},
): SharedTable {
  let opened: Promise<SharedTable> | undefined;
  let hasAnswered = false;
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
    if (performance.now() < restsUntil) throw new TableUnavailable('the shared table is given a rest');
    const table = await openOnce();
    const limitMs = hasAnswered ? timeoutMs : firstTimeoutMs;
    const startedAt = performance.now();
    try {
      const answer = await withTimeout(limitMs, run(table), async () => {
        await nextTurn(); // responses that arrived while this thread was busy are not late, and are read first
        throw new Error(`no answer within ${limitMs} ms`);
      });
      hasAnswered = true;
      return answer;
    } catch (error) {
      const tookMs = performance.now() - startedAt;
      if (tookMs < limitMs + FROZEN_MS) restsUntil = performance.now() + restMs;
      count('SharedStoreFailures');
      const cause = error instanceof Error ? error.message || error.name : String(error);
      throw new TableUnavailable(`the shared table is unavailable: ${cause}`, { cause: error });
    }
  }

  return {
    get: (key) => call((table) => table.get(key)),
    update: (key, change) => call((table) => table.update(key, change)),
  };
}
