import { expect, test } from 'vitest';
import type { WatchRow } from './rows.ts';
import { nextSort, sorted } from './sort.ts';

function row(id: string, change24h: number | null, rank: number | null, value?: number | null): WatchRow {
  const worth =
    value === undefined
      ? undefined
      : { amount: '1', value, cost: null, profit: null, profitPercent: null, convertedFrom: undefined };
  const none = { price: null, change1h: null, change7d: null, week: [], marks: [] };
  return { ...none, id, symbol: id, name: id, rank, change24h, worth };
}

const rows = [row('a', -1, 3, 10), row('b', null, null), row('c', 5, 1, null), row('d', 0, 2, 20)];
const order = (sort: Parameters<typeof sorted>[1]) =>
  sorted(rows, sort)
    .map(({ id }) => id)
    .join('');

test('what is not known comes last, in its own order', () => {
  expect(order('own')).toBe('abcd');
  expect(order('change24h')).toBe('cdab');
  expect(order('value')).toBe('dabc');
  expect(order('rank')).toBe('cdab');
  expect(order('change7d')).toBe('abcd');
});

test('the orders come round, that by value only if something is held', () => {
  const all = [nextSort('own', rows)];
  while (all.at(-1) !== 'own') all.push(nextSort(all.at(-1) ?? 'own', rows));
  expect(all).toEqual(['change24h', 'change7d', 'value', 'rank', 'own']);
  expect(nextSort('change7d', [row('a', 1, 1)])).toBe('rank');
});
