import { expect, test } from 'vitest';
import { parseEntries } from './entries.ts';
import { entry } from './entry.testing.ts';

const right = entry();

test('takes the fields of an entry as they are and leaves others out', () => {
  expect(parseEntries([{ ...right, symbol: 'BTC ', logo: 'x' }])).toEqual([{ ...right, symbol: 'BTC ' }]);
  expect(parseEntries([])).toEqual([]);
});

test('takes names and symbols without characters that no name has', () => {
  const dirty = { ...right, name: 'Bit\ud800coin\u0000\u202e\u{e0041}\u200b\u00ad', symbol: 'BTC\t\u2067' };
  expect(parseEntries([dirty])).toEqual([{ ...right, name: 'Bitcoin', symbol: 'BTC ' }]);
});

test.each([
  [{ ...right, id: undefined }, /^Entry 1 \(undefined\): id is missing; it must be a text/],
  [{ ...right, id: '' }, /^Entry 1 \(""\): id is ""; it must be .*not empty/],
  [{ ...right, id: 'x', name: null }, /^Entry 1 \("x"\): name is null/],
  [
    { ...right, id: 'x', name: 'n'.repeat(1001) },
    /name is "n+\.\.\.; it must be a text of at most 1000 characters/,
  ],
  [{ ...right, id: 'x\ud800' }, /id is "x\\ud800"/],
  [{ ...right, id: 'x', rank: -1 }, /rank is -1; it must be an integer from 0/],
  [{ ...right, id: 'x', rank: '1' }, /rank is "1"/],
  [{ ...right, id: 'x', rank: 1.5 }, /rank is 1.5/],
  [{ ...right, id: 'x', is_new: 0 }, /is_new is 0; it must be true or false/],
  [{ ...right, id: 'x', is_active: undefined }, /is_active is missing/],
  [{ ...right, id: 'x', type: 'share' }, /type is "share"; it must be coin or token/],
  [right, /^Entry 1: id "btc-bitcoin" is the id of entry 0 already$/],
  ['btc', /^Entry 1: must be an object, but is "btc"$/],
  [null, /^Entry 1: must be an object, but is null$/],
])('names position and field of a wrong entry (%#)', (entry, message) => {
  expect(() => parseEntries([right, entry])).toThrow(message);
});

test.each([[{}], [null], ['[]']])('refuses a list that is no array: %j', (list) => {
  expect(() => parseEntries(list)).toThrow('The coin list must be an array');
});
