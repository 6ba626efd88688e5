import { expect, test } from 'vitest';
import { clean, commandSpan, displayWidth, fitted, plainText, shortened, span, wrapped } from './text.ts';

test('text from elsewhere cannot steer a terminal', () => {
  expect(clean('\u001b[31mRed\u0007 \u202eCoin\n2')).toBe('[31mRed Coin 2');
  expect(clean('  ZBCN ')).toBe('ZBCN');
});

test('width counts cells, not characters', () => {
  expect(displayWidth('BTC')).toBe(3);
  expect(displayWidth('战旗')).toBe(4);
  expect(displayWidth('e\u0301')).toBe(1);
});

test('a fitted text fills its cells exactly', () => {
  expect(fitted('BTC', 5)).toBe('BTC  ');
  expect(fitted('Bitcoin', 5)).toBe('Bitc…');
  expect(fitted('战旗币', 4)).toBe('战… ');
});

test('plain text has neither tones nor buttons', () => {
  expect(plainText([[span('a', 'up'), span('b')], [commandSpan('cprice BTC')]])).toBe('ab\ncprice BTC');
});

test('a text is wrapped between words', () => {
  expect(wrapped('the price of a coin', 12)).toEqual(['the price of', 'a coin']);
  expect(wrapped('a concatenation b', 5)).toEqual(['a', 'concatenation', 'b']);
});

test('what is read as one character is never cut', () => {
  expect(shortened('👍🏽👍🏽👍🏽', 4)).toBe('👍🏽…');
  expect(shortened('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  expect(shortened('BTC', 3)).toBe('BTC');
});
