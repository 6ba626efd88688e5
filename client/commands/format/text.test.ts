import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clean, commandSpan, type Line, plainText, span } from './text.ts';
import { displayWidth, fitted, shortened, wrapLines, wrapped } from './width.ts';

test('external text cannot control a terminal', () => {
  expect(clean('\u001b[31mRed\u0007 \u202eCoin\n2')).toBe('[31mRed Coin 2');
  expect(clean('Bit\u{e0069}\u{e0067}\u00adcoin 👩‍🚀')).toBe('Bitcoin 👩‍🚀');
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

test('a text is wrapped between words', () => {
  expect(wrapped('the price of a coin', 12)).toEqual(['the price of', 'a coin']);
  expect(wrapped('a concatenation b', 5)).toEqual(['a', 'concatenation', 'b']);
});

test('a character of several code points is never cut', () => {
  expect(shortened('👍🏽👍🏽👍🏽', 4)).toBe('👍🏽…');
  expect(shortened('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
  expect(shortened('BTC', 3)).toBe('BTC');
});

const wrappedText = (line: Line, width: number) => plainText(wrapLines([line], width)).split('\n');

test('a wide line is broken between words, and each part keeps its tone', () => {
  expect(wrapLines([[span('low $95', 'muted'), span(', high'), span(' $120', 'up')]], 9)).toEqual([
    [span('low $95', 'muted'), span(',')],
    [span('high'), span(' $120', 'up')],
  ]);
});

test('a command is not broken', () => {
  const command = 'cchart BTC --line';
  expect(wrappedText([span('Others have the same symbol: '), commandSpan(command)], 30)).toEqual([
    'Others have the same symbol:',
    command,
  ]);
  expect(wrappedText([span('Try: '), commandSpan(command)], 20)).toEqual(['Try:', command]);
});

test('no line is wider than the given width, unless a word is, and nothing but spaces is lost', () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  const anyLine = fc.array(
    fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => span(`${words.join(' ')} `)),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(anyLine, fc.integer({ min: 10, max: 60 }), (line, width) => {
      const lines = wrappedText(line, width);
      for (const text of lines) expect(displayWidth(text.trimEnd())).toBeLessThanOrEqual(width);
      expect(lines.join(' ').split(/ +/).filter(Boolean)).toEqual(
        plainText([line]).split(/ +/).filter(Boolean),
      );
    }),
  );
});
