import { expect, test } from 'vitest';
import { takeMetrics } from '../platform/metrics.ts';
import { parseEntries } from './entries.ts';
import { entry } from './entry.testing.ts';

const right = entry();
const others = (count: number) =>
  Array.from({ length: count }, (_, index) => entry({ id: `other-${index}` }));

function read(list: unknown) {
  takeMetrics('n');
  const reports: string[] = [];
  const entries = parseEntries(list, (text) => reports.push(text));
  return { entries, reports, counts: JSON.parse(takeMetrics('n') ?? '{}') };
}

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
])('leaves out a wrong entry, and names its position and field (%#)', (entry, message) => {
  const { entries, counts, reports } = read([right, entry, ...others(8)]);
  expect(entries).toEqual([right, ...others(8)]);
  expect(counts).toMatchObject({ RowsUnreadable: 1 });
  expect(reports).toEqual([expect.stringContaining('1 of 10 entries of the coin list was left out: ')]);
  expect(reports[0]?.replace(/^.* left out: /, '')).toMatch(message);
});

test('names a few of many wrong entries, and says how many there are', () => {
  const wrong = Array.from({ length: 20 }, () => ({ ...right, rank: null }));
  const { entries, counts, reports } = read([...wrong, ...others(80)]);
  expect(entries).toEqual(others(80));
  expect(counts).toMatchObject({ RowsUnreadable: 20 });
  expect(reports).toEqual([
    expect.stringMatching(
      /^20 of 100 entries of the coin list were left out: (Entry [0-2] \("btc-bitcoin"\): rank is null; [^;]+; ){3}and 17 others$/,
    ),
  ]);
});

test('takes an id’s first entry that can be read', () => {
  const list = [{ ...right, rank: -1 }, right, { ...right, name: 'Other' }, ...others(10)];
  expect(read(list).entries).toEqual([right, ...others(10)]);
});

test('refuses a list of which more than a fifth cannot be read', () => {
  expect(() => parseEntries([...others(79), ...Array(21).fill(null)])).toThrow(
    /^21 of 100 entries of the coin list cannot be read: Entry 79: must be an object, but is null; .* and 18 others$/,
  );
  expect(() => parseEntries([null])).toThrow('Entry 0: must be an object, but is null');
});

test.each([[{}], [null], ['[]']])('refuses a list that is no array: %j', (list) => {
  expect(() => parseEntries(list)).toThrow('The coin list must be an array');
});
