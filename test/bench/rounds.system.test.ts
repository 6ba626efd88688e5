import { beforeAll, describe, expect, it } from 'vitest';
import { benched, clocks, FIGURES, installBench } from './run.ts';

beforeAll(installBench, 300_000);

describe.each(Object.entries(clocks))('one round %s', (_clock, aheadMs) => {
  it.each(['functions', 'cold', 'service'] as const)(
    'of the bench %s ends with its figures',
    async (name) => {
      expect(await benched(name, aheadMs)).toMatch(FIGURES);
    },
    180_000,
  );
});

it('one round of the bench fleet, which has a clock of its own, ends with its figures', async () => {
  expect(await benched('fleet', 0)).toMatch(FIGURES);
}, 180_000);
