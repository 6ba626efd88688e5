import { expect, test } from 'vitest';
import { currencies } from '../../client/commands/currency.ts';
import { commandNames, commandTable, shortNames } from '../../client/commands/parse/table.ts';
import { nearest } from './mistyped.ts';

const commands = [...shortNames, ...commandNames];
const options = Object.keys(commandTable.chart.options);

test.each([
  ['cpirce', commands, ['cprice']],
  ['CPRICE', commands, ['cprice']],
  ['cpric', commands, ['cprice']],
  ['conisearch', commands, ['coinsearch']],
  ['coin', commands, ['coinsearch']],
  ['chrat', commands, ['chart']],
  ['hlep', commands, ['help']],
  ['frobnicate', commands, []],
  ['BTC', commands, []],
  ['h', commands, []],
  ['', commands, []],
  ['currancy', options, ['currency']],
  ['curr', options, ['currency']],
  ['intervall', options, ['interval']],
  ['candels', options, ['candles']],
  ['key', options, []],
  ['euro', currencies, ['eur']],
  ['gpb', currencies, ['gbp']],
  ['abcd', ['abce', 'abcf', 'abcg', 'abch'], ['abce', 'abcf', 'abcg']],
])('%s of %j is probably %j', (word, candidates, meant) => {
  expect(nearest(word, candidates)).toEqual(meant);
});
