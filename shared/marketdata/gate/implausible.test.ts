import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJump } from './implausible.ts';

/** As many pairs, of which the first ones changed by a factor. */
const pairs = (all: number, changed: number, factor: number) =>
  Array.from({ length: all }, (_, index) => [1, index < changed ? factor : 1] as const);

describe('prices', () => {
  it.each([
    [20, 2, 3],
    [20, 2, 1 / 3],
    [20, 20, 100],
    [2, 2, 100],
    [10, 2, 3.1],
  ])('jump if of %i there are %i that change by the factor %f', (all, changed, factor) => {
    expect(isJump(pairs(all, changed, factor))).toBe(true);
  });

  it.each([
    [0, 0, 1],
    [1, 1, 100], // one coin alone may
    [10, 1, 100],
    [21, 2, 100],
    [20, 20, 2.99],
    [20, 20, 0.34],
  ])('do not jump if of %i there are %i that change by the factor %f', (all, changed, factor) => {
    expect(isJump(pairs(all, changed, factor))).toBe(false);
  });

  it('jump in the one direction if and only if they jump in the other, in any order', () => {
    const price = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(price, price), { maxLength: 30 }), (given) => {
        const backwards = given.map(([before, after]) => [after, before] as const).reverse();
        expect(isJump(given)).toBe(isJump(backwards));
      }),
    );
  });
});
