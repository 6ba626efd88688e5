import { beforeAll, describe, expect, it } from 'vitest';
import { benched, clocks, FIGURES, installBench } from './run.ts';

beforeAll(installBench, 300_000);

describe.each(Object.entries(clocks))('one round %s', (_clock, aheadMs) => {
  it.each(['cold', 'service', 'request-path'] as const)(
    'of the bench %s ends with its figures',
    async (name) => {
      expect(await benched(name, aheadMs)).toMatch(FIGURES);
    },
    300_000,
  );
});
