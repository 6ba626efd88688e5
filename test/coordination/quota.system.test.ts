import { beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../shared/coordination/budget.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import { MemoryQuota } from '../../shared/coordination/memory-quota.ts';
import type { UpstreamQuota } from '../../shared/coordination/quota.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { TableQuota } from '../../shared/coordination/table-quota.ts';
import { hindered, newTable, recorder } from './fleet.ts';

/** A hundred requests a day. */
const budget: Budget = { monthly: 3000, scheduledDaily: 0 };
/** Late enough for the whole day's share to be given out. */
const late = Date.parse('2026-11-21T23:50:00Z');
const midnight = Date.parse('2026-11-22T00:00:00Z');

let open: () => SharedTable;
beforeEach(async () => {
  open = await newTable();
});

async function granted(count: number, quotaOf: (index: number) => UpstreamQuota): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => quotaOf(index).spend()));
  return answers.filter(({ allowed }) => allowed).length;
}

describe('a budget that the fleet shares', () => {
  it('grants exactly 100 of 500 spends at the same time by 500 instances', async () => {
    const table = open();
    const now = () => late;

    expect(await granted(500, () => new TableQuota({ table, budget, now }))).toBe(100);
    expect(await new TableQuota({ table, budget, now }).spend()).toEqual({
      allowed: false,
      retryAt: midnight,
    });
  });

  it('grants exactly 100 of 500 spends at the same time by five instances', async () => {
    const now = () => late;
    const instances = Array.from({ length: 5 }, () => new TableQuota({ table: open(), budget, now }));

    const quotaOf = (index: number) => instances[index % 5] as TableQuota;
    const first = await granted(500, quotaOf);

    // What an instance has paid for ahead it may still use, and the whole is never more.
    expect(first + (await granted(50, quotaOf))).toBe(100);
  });

  it('stays exact where clocks differ by two seconds', async () => {
    const table = open();
    const skewed = (index: number) => () => late + (index % 5) * 1000 - 2000;

    expect(await granted(500, (index) => new TableQuota({ table, budget, now: skewed(index) }))).toBe(100);
  });

  it('never exceeds the month, whatever the days took', async () => {
    const table = open();
    let now = Date.parse('2026-11-01T23:59:00Z');
    const small: Budget = { monthly: 95, scheduledDaily: 0 };
    const perDay: number[] = [];
    for (; now < Date.parse('2026-12-01T00:00:00Z'); now += 86_400_000) {
      perDay.push(await granted(8, () => new TableQuota({ table, budget: small, now: () => now })));
    }

    expect(Math.max(...perDay)).toBe(3);
    expect(perDay.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(95);
    const next = new TableQuota({ table, budget: small, now: () => now });
    expect(await next.spend()).toMatchObject({ allowed: true });
    expect(next.usage).toEqual({ month: 1, today: 1, monthLimit: 95, todayLimit: 3 });
  });

  it('refuses until the next month where the month is used up', async () => {
    const table = open();
    const tiny: Budget = { monthly: 1, scheduledDaily: 0 };
    const quota = () => new TableQuota({ table, budget: tiny, now: () => late });
    await quota().spend();

    expect(await quota().spend()).toEqual({
      allowed: false,
      retryAt: Date.parse('2026-12-01T00:00:00Z'),
    });
  });

  it('keeps the count over the end of every instance', async () => {
    await granted(30, () => new TableQuota({ table: open(), budget, now: () => late }));

    const restarted = new TableQuota({ table: open(), budget, now: () => late });
    await restarted.spend();
    expect(restarted.usage).toMatchObject({ month: 31, today: 31 });
  });

  it('leaves to callers what scheduled work needs', async () => {
    const table = open();
    const noon = Date.parse('2026-11-21T12:00:00Z');
    const quota = () =>
      new TableQuota({ table, budget: { monthly: 3000, scheduledDaily: 40 }, now: () => noon });

    // Half of the 40, which should be spent by now, and nine tenths of the other 60.
    expect(await granted(200, quota)).toBe(74);
    expect(await quota().spend('scheduled')).toMatchObject({ allowed: true });
  });

  it('does not write for what it knows to be used up', async () => {
    const table = open();
    await granted(100, () => new TableQuota({ table, budget, now: () => late }));
    let calls = 0;
    const counting = hindered(table, async () => void calls++);
    const quota = new TableQuota({ table: counting, budget, now: () => late });
    await quota.spend();
    const before = calls;

    for (let n = 0; n < 20; n += 1) expect((await quota.spend()).allowed).toBe(false);
    expect(calls).toBe(before);
  });
});

describe('a budget without its table', () => {
  const failing = { down: 'rejects', slow: 'hangs' } as const;

  it.each(Object.keys(failing) as (keyof typeof failing)[])(
    'goes on, with a table that is %s, only with what was paid for before',
    async (how) => {
      const { events, observe } = recorder();
      let works = true;
      const table = guardedTable(
        async () =>
          hindered(open(), async () => {
            if (works) return;
            if (how === 'down') throw new Error('connect ECONNREFUSED');
            await new Promise(() => {});
          }),
        { observe },
      );
      const quota = new TableQuota({ table, budget, now: () => late, observe });
      for (let n = 0; n < 5; n += 1) expect((await quota.spend()).allowed).toBe(true);
      const paid = quota.usage?.today ?? 0;
      works = false;

      const startedAt = performance.now();
      const blind = [];
      for (let n = 0; n < 10; n += 1) blind.push(await quota.spend());

      expect(performance.now() - startedAt).toBeLessThan(400);
      expect(blind.filter(({ allowed }) => allowed)).toHaveLength(paid - 5);
      expect(paid - 5).toBeGreaterThan(0);
      expect(blind.at(-1)).toEqual({ allowed: false, retryAt: late + 60_000 });
      expect(events).toContainEqual({ kind: 'table-failure', operation: 'update' });
    },
  );

  it('refuses in an instance that has never reached it', async () => {
    const table = guardedTable(async () => {
      throw new Error('no such host');
    });
    const quota = new TableQuota({ table, budget, now: () => late });

    expect(await quota.spend()).toMatchObject({ allowed: false });
  });

  it('spends from the table again when it is back', async () => {
    let works = true;
    const table = guardedTable(
      async () =>
        hindered(open(), async () => {
          if (!works) throw new Error('connect ECONNREFUSED');
        }),
      { restMs: 50 },
    );
    const quota = new TableQuota({ table, budget, now: () => late });
    await quota.spend();
    works = false;
    await quota.spend();
    works = true;
    await new Promise((resolve) => setTimeout(resolve, 60));

    expect(await quota.spend()).toMatchObject({ allowed: true });
  });
});

it.each([late, Date.parse('2026-11-03T08:00:00Z')])('memory and table grant alike at %i', async (now) => {
  const table = open();
  const memory = new MemoryQuota(budget, () => now);

  const fromTable = await granted(150, () => new TableQuota({ table, budget, now: () => now }));
  expect(await granted(150, () => memory)).toBe(fromTable);
  expect(await memory.spend()).toEqual(await new TableQuota({ table, budget, now: () => now }).spend());
});
