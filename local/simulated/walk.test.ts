import { expect, test } from 'vitest';
import { createWalk, STEP_MS } from './walk.ts';

const STEPS_A_DAY = 86_400_000 / STEP_MS;

test('gives the same values in any order', () => {
  const steps = [0, 1, 7, 500, 63, 64, 65, -1, -64, -65, 2048, 2_000_000, -2_000_000, 2049, -100_000];
  const forward = createWalk(9);
  const values = steps.map(forward);
  expect(steps.map((step) => createWalk(9)(step))).toEqual(values);
  expect(steps.toReversed().map(forward).toReversed()).toEqual(values);
});

test('moves like a random walk: the deviation of a day is near √(1/365), that of an hour near √(1/8766)', () => {
  const walk = createWalk(5);
  const deviation = (length: number) => {
    const moves = Array.from({ length: 4000 }, (_, i) => walk((i + 1) * length) - walk(i * length));
    return Math.sqrt(moves.reduce((sum, move) => sum + move * move, 0) / moves.length);
  };
  expect(deviation(STEPS_A_DAY)).toBeCloseTo(Math.sqrt(1 / 365), 2);
  expect(deviation(STEPS_A_DAY / 24)).toBeCloseTo(Math.sqrt(1 / 8766), 3);
});
