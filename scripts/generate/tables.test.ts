import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { documentsWithTables, table, withTables } from './tables.ts';

it.each(documentsWithTables)(
  'the tables of %s are those of the code: `npm run generate` writes them',
  (file) => {
    const document = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    expect(withTables(document)).toBe(document);
  },
);

it('a table that no code writes is refused', () => {
  expect(() => withTables('<!-- table: prices -->\n<!-- end -->')).toThrow('No table is called prices');
});

it('a cell keeps its bar, and is one line', () => {
  expect(table(['allowed'], [['1h | 24h,\nor none']])).toBe('| allowed |\n| --- |\n| 1h \\| 24h, or none |');
});
