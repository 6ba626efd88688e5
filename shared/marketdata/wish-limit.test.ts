import { expect, it } from 'vitest';
import { wishLimit } from './wish-limit.ts';

it('a container wishes for a coin once an hour, for ten at once, and then for one a minute', () => {
  let now = 0;
  const mayWish = wishLimit(() => now);
  const granted = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => mayWish(`${name}${index}`)).filter(Boolean).length;

  expect([mayWish('a'), mayWish('a')]).toEqual([true, false]);
  expect(granted(20, 'first ')).toBe(9);
  now += 60_000;
  expect(granted(5, 'second ')).toBe(1);
  now += 3_600_000;
  expect([mayWish('a'), mayWish('a')]).toEqual([true, false]);
  expect(granted(20, 'third ')).toBe(9);
});
