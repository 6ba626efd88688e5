import { expect, test } from 'vitest';
import { matching, paletteCommands } from './commands.ts';

const nothing = () => undefined;
const commands = (charts: number) =>
  paletteCommands({
    runCommand: nothing,
    showView: nothing,
    countCharts: () => charts,
    chooseCurrency: nothing,
  });
const titles = (query: string, charts = 2) => matching(commands(charts), query).map(({ title }) => title);

test('lists the usual commands before anything is typed, charts only if there are some', () => {
  expect(titles('')).toEqual(['Market', 'Charts', 'Help', 'Settings', 'Clear']);
  expect(titles('', 0)).toEqual(['Market', 'Help', 'Settings', 'Clear']);
});

test.each([
  ['set', ['Settings']],
  ['api KEY', ['Settings']],
  ['home', ['Market']],
  ['eur', ['Prices in EUR']],
  ['swiss', ['Prices in CHF']],
  ['currency yen', ['Prices in JPY']],
  ['bitcoin', []],
])('finds by the beginnings of words: %s', (query, expected) => {
  expect(titles(query)).toEqual(expected);
});

test('lists no more than six', () => {
  expect(titles('currency')).toHaveLength(6);
});
