import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoted, wordsOf } from './words.ts';

test.each([
  ['cprice BTC', ['cprice', 'BTC']],
  ['  cprice \t BTC  ', ['cprice', 'BTC']],
  ['coinsearch "wrapped ether"', ['coinsearch', 'wrapped ether']],
  [`cprice 'A $B'`, ['cprice', 'A $B']],
  ['cprice A\\ B', ['cprice', 'A B']],
  ['cprice ""', ['cprice', '']],
  [`cprice "it's"`, ['cprice', "it's"]],
  ['cprice wrapped" "ether', ['cprice', 'wrapped ether']],
  ['', []],
])('%s', (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

test('a quoted word is read as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (words) => {
      expect(wordsOf(words.map(quoted).join(' '))).toEqual(words);
    }),
  );
});

test('a plain word stays as it is', () => {
  expect(['BTC', 'btc-bitcoin', '战旗-战旗', '24h'].map(quoted)).toEqual([
    'BTC',
    'btc-bitcoin',
    '战旗-战旗',
    '24h',
  ]);
});
