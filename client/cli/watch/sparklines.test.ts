import { expect, test } from 'vitest';
import { sparkline } from './sparklines.ts';

test.each([
  [[1, 2, 3, 4], '⣀⠤⠒⠊'],
  [[4, 3, 2, 1], '⠑⠒⠤⣀'],
  [[5, 5, 5], '⠤⠤⠤⠤'],
  [[1, null, null, 4], '⣀⠤⠒⠉'],
  [[null, null, 1, 4], '  ⢀⠎'],
  [[1, null], '    '],
  [[], '    '],
])('%j is %s', (week, drawn) => {
  expect(sparkline(week, 4)).toBe(drawn);
});
