import { expect, test } from 'vitest';
import { foldText, symbolKey } from './fold.ts';

test.each([
  ['Bitcoin Cash', 'bitcoin cash'],
  ['  Yearn.Finance ', 'yearn finance'],
  ["Satoshi's Vision", 'satoshis vision'],
  ['Ünïswåp', 'uniswap'],
  ['Łódź Østerreich Đorđe', 'lodz osterreich dorde'],
  ['Straße Æon ısı', 'strasse aeon isi'],
  ['ＢＴＣ ﬁ ½', 'btc fi 1 2'],
  ['TİGR', 'tigr'],
  ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
  ['진도개', '진도개'],
  ['⌘ ∅ ☮', '⌘ ∅ ☮'],
  ['$PEPE <3 ^_^', 'pepe 3'],
  ['!?#', ''],
])('folds %j to %j', (text, folded) => {
  expect(foldText(text)).toBe(folded);
  expect(foldText(folded)).toBe(folded);
});

test.each([
  ['ZBCN ', 'zbcn'],
  ['sUSDS', 'SUSDS'],
  ['ς', 'Σ'],
  ['µ', 'μ'],
  ['\u212a', 'k'],
  ['tİgr', 'TİGR'],
])('takes %j and %j for the same symbol', (a, b) => {
  expect(symbolKey(a)).toBe(symbolKey(b));
});

test('takes symbols with and without an accent for different ones', () => {
  expect(symbolKey('TÍGR')).not.toBe(symbolKey('TIGR'));
});
