import { expect, test } from 'vitest';
import { csvField } from './csv-field.ts';

test.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '＝1+1', '＋1', '－1', '＠SUM(A1)', '\t=1', '\v=1', '  =1'])(
  'a text that spreadsheets run as a formula gets an apostrophe: %j',
  (text) => {
    expect(csvField(text)).toBe(`'${text}`);
  },
);

test.each([
  ['\r=1', `"'\r=1"`],
  ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
  ['a, "b"', '"a, ""b"""'],
  ['two\nlines', '"two\nlines"'],
  ['1+1', '1+1'],
  ['-1.5', '-1.5'],
  ['-1e5', "'-1e5"],
  ['Ｂｉｔcoin', 'Ｂｉｔcoin'],
  ['', ''],
])('%j is the field %s', (text, field) => {
  expect(csvField(text)).toBe(field);
});
