import { beforeAll, describe, expect, it } from 'vitest';
import { benched, clocks, installBench } from './run.ts';

beforeAll(installBench, 300_000);

describe.each(Object.entries(clocks))('one round %s', (_clock, aheadMs) => {
  it.each(['functions', 'cold'] as const)(
    'of the bench %s ends with its figures',
    async (name) => {
      expect(await benched(name, aheadMs)).toMatch(/^\|.*\d.*\||^Nothing was measured: |^- reached: /m);
    },
    180_000,
  );
});
