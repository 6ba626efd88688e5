import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { TableUnavailable } from '../platform/table.ts';
import { guardedTable } from './guarded-table.ts';

afterEach(() => {
  vi.useRealTimers();
});

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
  const folder = join(inject('runFolder'), randomUUID());
  const table = tableOf(async () => {
    queueMicrotask(() => {
      while (!existsSync(folder)); // another thread makes it
      keepBusy(200);
    });
    await mkdir(folder);
    return { count: 1 };
  });
  await nextTurn(); // whereafter the event loop looks at timers first

  expect(await table.get('a')).toEqual({ count: 1 });
});

it('a table that does not answer in time is left alone for a while', async () => {
  vi.useFakeTimers({ toFake: ['performance'] }); // no time-out that came late, as of a frozen container
  let asked = 0;
  const table = tableOf(() => {
    asked += 1;
    return new Promise(() => {});
  });

  await expect(table.get('a')).rejects.toThrow(TableUnavailable);
  await expect(table.get('a')).rejects.toThrow('the shared table is given a rest');
  expect(asked).toBe(1);
});
