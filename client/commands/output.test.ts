import { expect, test } from 'vitest';
import { csvText } from './output.ts';

const cellOf = (cell: string | number | boolean | null) =>
  csvText({ columns: ['a', 'b'], records: [{ a: cell, b: 1 }] }).split('\n')[1];

test.each([
  ['plain', 'plain,1'],
  ['a, "b"', '"a, ""b""",1'],
  ['two\r\nlines\u0007\u009b\u202e', 'two lines,1'],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")",1`],
  ['+1', "'+1,1"],
  ['＝1+1', "'＝1+1,1"],
  ['＠x', "'＠x,1"],
  ['@x', "'@x,1"],
  [-1.5, '-1.5,1'],
  [null, ',1'],
  [true, 'true,1'],
])('%j is a field that no program misreads', (cell, row) => {
  expect(cellOf(cell)).toBe(row);
});

test('a line ends with a line feed, and the header comes first', () => {
  expect(csvText({ columns: ['a'], records: [] })).toBe('a\n');
});
