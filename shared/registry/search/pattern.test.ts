import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorsBetween } from '../../../test/registry/reference.ts';
import { lettersOf, typingErrors } from './pattern.ts';

const letters = (text: string) => lettersOf(Buffer.from(text));

test.each([
  ['bitcoin', 'bitcoin', 0],
  ['bitcon', 'bitcoin', 1],
  ['bticoin', 'bitcoin', 1],
  ['etherium', 'ethereum', 1],
  ['btcoinn', 'bitcoin', 2],
  ['dogecoin', 'bitcoin', 3],
  ['', 'ab', 2],
  ['', 'abc', 3],
])('between %j and %j lie %i errors, three standing for more than two', (a, b, errors) => {
  expect(typingErrors(letters(a), letters(b), 2)).toBe(errors);
  expect(typingErrors(letters(b), letters(a), 2)).toBe(errors);
});

test('any two texts have the errors of the full matrix, up to the limit', () => {
  const text = fc.stringMatching(/^[abc]{0,9}$/);
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 3 }), (a, b, limit) => {
      const found = typingErrors(letters(a), letters(b), limit);
      expect(found).toBe(Math.min(errorsBetween(a, b), limit + 1));
    }),
    { numRuns: 5000 },
  );
});
