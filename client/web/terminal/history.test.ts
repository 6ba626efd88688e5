import { expect, test } from 'vitest';
import { createHistory } from './history.ts';

function history(lines: readonly string[]) {
  let kept = lines;
  const made = createHistory({
    read: () => kept,
    write: (value) => {
      kept = value;
    },
  });
  return { ...made, kept: () => kept };
}

test('goes back to the oldest line and forward to what was being typed', () => {
  const { older, newer } = history(['one', 'two']);
  expect([older('dra'), older('two'), older('one')]).toEqual(['two', 'one', undefined]);
  expect([newer(), newer(), newer()]).toEqual(['two', 'dra', undefined]);
});

test('a line typed again moves to the end', () => {
  const { add, kept } = history(['one', 'two']);
  add('one');
  expect(kept()).toEqual(['two', 'one']);
});

test('the oldest of more than a hundred lines are forgotten', () => {
  const { add, kept } = history(Array.from({ length: 100 }, (_, index) => `line ${index}`));
  add('new');
  expect([kept().length, kept()[0], kept().at(-1)]).toEqual([100, 'line 1', 'new']);
});
