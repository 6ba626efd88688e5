import { expect, test } from 'vitest';
import { pathOf } from './sparkline.ts';

test('the lowest price is at the bottom and the highest at the top', () => {
  expect(pathOf([1, 3, 2])).toBe('M0.0 30.0L50.0 2.0L100.0 16.0');
});

test('a price that is not known is a gap, and one without neighbours draws nothing', () => {
  expect(pathOf([1, 2, null, 1, 2])).toBe('M0.0 30.0L25.0 2.0M75.0 30.0L100.0 2.0');
  expect(pathOf([null, 1, null])).toMatch(/^M[\d. ]+$/);
  expect(pathOf([])).toBe('');
});

test('prices that hardly move are nearly a straight line in the middle', () => {
  expect(pathOf([5, 5])).toBe('M0.0 16.0L100.0 16.0');
  expect(pathOf([0.9995, 1.0005])).toBe('M0.0 16.7L100.0 15.3');
});
