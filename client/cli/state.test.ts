import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { lastSearchOf } from './state.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;
const ids = ['btc-bitcoin', 'eth-ethereum'];

function stateFolder() {
  const state = mkdtempSync(join(inject('runFolder'), 'state-'));
  const file = join(state, 'marketdata/last-search.json');
  return { file, searchAt: (time: number) => lastSearchOf({ XDG_STATE_HOME: state }, () => time) };
}

test('the next program finds the list within an hour, and no other user can read it', () => {
  const { file, searchAt } = stateFolder();
  searchAt(NOW).remember(ids);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ time: '2026-01-31T12:00:00.000Z', ids });
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const later = searchAt(NOW + HOUR - 1);
  expect(later.ids()).toEqual(ids);
  expect(searchAt(NOW + HOUR).ids()).toEqual([]);
  expect(searchAt(NOW - 1).ids()).toEqual([]);
});

test('a running program uses its own list', () => {
  const { searchAt } = stateFolder();
  const search = searchAt(NOW);
  search.remember(ids);
  searchAt(NOW + 1).remember(['sol-solana', 'xrp-xrp', 'ada-cardano']);
  expect(search.ids()).toEqual(ids);
  expect(searchAt(NOW + 2).ids()[2]).toBe('ada-cardano');
});

test.each(['nonsense', 'null', '{"ids":["a"]}'])('a file of %j is ignored', (text) => {
  const { file, searchAt } = stateFolder();
  searchAt(NOW).remember(ids);
  writeFileSync(file, text);
  expect(searchAt(NOW).ids()).toEqual([]);
});

test('a read-only folder does not stop the search', () => {
  const search = lastSearchOf({ XDG_STATE_HOME: '/dev/null' }, () => NOW);
  search.remember(ids);
  expect(search.ids()).toEqual(ids);
});
