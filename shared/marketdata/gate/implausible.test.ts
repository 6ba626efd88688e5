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
});
