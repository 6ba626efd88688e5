import { expect, it } from 'vitest';
import { TableUnavailable } from '../platform/table.ts';
import { TransportError } from '../platform/transport.ts';
import { guardedTable } from './guarded-table.ts';

it.each([
  ['is left alone for a while after a time-out', 'whole', 1],
  ['is used again at once after a call that was frozen with its container', 'frozen', 2],
] as const)('a table %s', async (_what, timeOut, calls) => {
  let called = 0;
  const get = async () => {
    called += 1;
    throw new TransportError('timeout', 'no answer within 0.2 s', timeOut);
  };
  const table = guardedTable(async () => ({ get, update: get }));

  await expect(table.get('a')).rejects.toThrow(TableUnavailable);
  await expect(table.get('a')).rejects.toThrow(TableUnavailable);
  expect(called).toBe(calls);
});
