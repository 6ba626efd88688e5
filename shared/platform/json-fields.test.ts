import { describe, expect, it } from 'vitest';
import { isDeeperThan } from './json-fields.ts';

const nested = (levels: number, inner = '') =>
  JSON.parse(`${'['.repeat(levels)}${inner}${']'.repeat(levels)}`);

describe('a value', () => {
  it.each([
    ['a text', 'x', 0],
    ['null', null, 0],
    ['an empty list', [], 1],
    ['a flat object', { a: 1, b: 'x' }, 1],
    ['a list of objects', [{ a: 1 }, { b: 2 }], 2],
    ['an object whose last field is the deepest', { a: [1], b: { c: [{ d: [] }] } }, 5],
    ['a list whose first element is the deepest', [[[[]]], [], 1], 4],
  ])('is as deep as its lists and objects are in one another: %s', (_what, value, levels) => {
    expect(isDeeperThan(value, levels)).toBe(false);
    if (levels > 0) expect(isDeeperThan(value, levels - 1)).toBe(true);
  });

  it('is measured without the call stack, whatever its depth', () => {
    expect(isDeeperThan(nested(64, '1'), 64)).toBe(false);
    expect(isDeeperThan(nested(65), 64)).toBe(true);
    expect(isDeeperThan(nested(100_000), 64)).toBe(true);
    expect(isDeeperThan(nested(100_000), 100_000)).toBe(false);
  });
});
