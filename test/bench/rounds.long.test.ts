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

it('two hours of the bench fleet, which has a clock of its own, end with its figures', async () => {
  const report = await benched('fleet', 0);
  expect(report).toMatch(FIGURES);
  expect(report).toMatch(/^- reached: requests to coinpaprika on the worst day \d+/m);
  // Jobs have published, and every request for what they have published is answered.
  expect(report).toMatch(/^\| snapshot \| 4,320 \| [1-9][\d,]* \|/m);
  expect(report).toMatch(/^\| 20,000 \| snapshot tickers \| [\d,]+ \| 100\.00 % \|/m);
  expect(report).toMatch(/^- reached: shown age at 20,000 a day, oldest of those of exchanges \d+ s/m);
  expect(report).toMatch(/^- reached: requests beyond a source's limit 0/m);
}, 400_000);
