import { beforeAll, describe, expect, it } from 'vitest';
import { benched, clocks, FIGURES, installBench } from './run.ts';

beforeAll(installBench, 300_000);

describe.each(Object.entries(clocks))('one round %s', (_clock, aheadMs) => {
  it.each(['secrets', 'batch', 'history', 'request-path', 'sources', 'registry'] as const)(
    'of the bench %s ends with its figures',
    async (name) => {
      expect(await benched(name, aheadMs)).toMatch(FIGURES);
    },
    600_000,
  );
});
