import { stat } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { guardedTable } from './guarded-table.ts';
import { TableUnavailable } from './table.ts';

const TIMEOUTS = { timeoutMs: 20, firstTimeoutMs: 20 };

function keepBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** A table that answers with what `get` gives. */
const tableOf = (get: () => Promise<{ readonly count: number }>) => {
  const refuse = () => Promise.reject(new Error('nothing is written here'));
  return guardedTable(async () => ({ get, update: refuse }), TIMEOUTS);
};

it('an answer that arrives while the thread is busy for longer than the time-out is not late', async () => {
  const table = tableOf(async () => {
    queueMicrotask(() => keepBusy(200));
    return { count: (await stat(import.meta.dirname)).nlink };
  });
  await nextTurn(); // whereafter the event loop looks at timers first

  expect(await table.get('a')).toEqual({ count: expect.any(Number) });
});

it('a table that does not answer in time is left alone for a while', async () => {
  let asked = 0;
  const table = tableOf(() => {
    asked += 1;
    return new Promise(() => {});
  });

  await expect(table.get('a')).rejects.toThrow(TableUnavailable);
  await expect(table.get('a')).rejects.toThrow('the shared table is given a rest');
  expect(asked).toBe(1);
});
