import { describe, expect, it } from 'vitest';
import { jobs } from '../functions/jobs.ts';
import { routes } from '../functions/routes.ts';
import { stores } from '../shared/marketdata/stores.ts';
import { publishedKinds, servedKinds } from '../shared/platform/job.ts';

const jobOf = (name: string) => jobs.find((job) => job.name === `marketdata/${name}`);

describe('the table of stored objects', () => {
  it.each(stores)('has writers and readers of $kind/$name that may do so', ({ kind, writers, readers }) => {
    expect(writers.length).toBeGreaterThan(0);
    for (const writer of writers)
      if (writer === 'routes')
        expect(routes.some((route) => route.putsCoins && route[kind as 'history'])).toBe(true);
      else expect(jobOf(writer)?.publishes, writer).toContain(kind);
    for (const reader of readers) {
      if (reader === 'routes') {
        expect(servedKinds).toContain(kind);
        expect(routes.some((route) => servedKinds.some((one) => one === kind && route[one]))).toBe(true);
        continue;
      }
      const { publishes = [], reads = [] } = jobOf(reader) ?? {};
      expect([...publishes, ...reads], reader).toContain(kind);
    }
  });

  it.each(publishedKinds)('has an entry for every job that publishes %s', (kind) => {
    const all = stores.filter((one) => one.kind === kind).flatMap((one) => one.writers);
    const writers = all.filter((writer) => writer !== 'routes');
    const publishing = jobs.filter(({ publishes }) => publishes?.includes(kind));
    expect([...new Set(writers.map((name) => `marketdata/${name}`))].sort()).toEqual(
      publishing.map(({ name }) => name).sort(),
    );
  });
});
