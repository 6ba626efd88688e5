import { beforeEach, describe, expect, it } from 'vitest';
import type { Plan, Purpose } from '../../shared/coordination/allowance.ts';
import { MemoryBudget, TableBudget, type UpstreamBudget } from '../../shared/coordination/budget.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();

/** A hundred requests a day. */
const plan: Plan = { monthly: 3100, scheduledDaily: 0, clientPercent: 100 };
/** Late enough for the whole day's share to be given out. */
const late = Date.parse('2026-11-21T23:50:00Z');
const midnight = Date.parse('2026-11-22T00:00:00Z');

let open: () => SharedTable;
beforeEach(async () => {
  open = await newTable();
});

async function granted(count: number, quotaOf: (index: number) => UpstreamBudget): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => quotaOf(index).reserve()));
  return answers.filter(({ allowed }) => allowed).length;
}

describe('a budget that all instances share', () => {
  it('grants exactly 100 of 500 spends at the same time by 500 instances', async () => {
    const table = open();
    const now = () => late;

    expect(await granted(500, () => new TableBudget({ provider: 'test', table, plan, now }))).toBe(100);
    expect(await new TableBudget({ provider: 'test', table, plan, now }).reserve()).toEqual({
      allowed: false,
      retryAt: midnight,
      of: 'service',
    });
  });

  it('grants exactly 100 of 500 spends at the same time by five instances', async () => {
    const now = () => late;
    const instances = Array.from(
      { length: 5 },
      () => new TableBudget({ provider: 'test', table: open(), plan, now }),
    );

    const quotaOf = (index: number) => instances[index % 5] as TableBudget;
    expect(await granted(500, quotaOf)).toBe(100);
    expect(await granted(50, quotaOf)).toBe(0);
  });

  it('stays exact where clocks differ by two seconds', async () => {
    const table = open();
    const skewed = (index: number) => () => late + (index % 5) * 1000 - 2000;

    expect(
      await granted(500, (index) => new TableBudget({ provider: 'test', table, plan, now: skewed(index) })),
    ).toBe(100);
  });

  it('never exceeds the month, whatever the days took', async () => {
    const table = open();
    let now = Date.parse('2026-11-01T23:59:00Z');
    const small: Plan = { monthly: 95, scheduledDaily: 0, clientPercent: 100 };
    const perDay: number[] = [];
    for (; now < Date.parse('2026-12-01T00:00:00Z'); now += 86_400_000) {
      perDay.push(
        await granted(8, () => new TableBudget({ provider: 'test', table, plan: small, now: () => now })),
      );
    }

    expect(Math.max(...perDay)).toBe(3);
    expect(perDay.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(95);
    const next = new TableBudget({ provider: 'test', table, plan: small, now: () => now });
    expect(await next.reserve()).toMatchObject({ allowed: true });
    expect(next.usage).toEqual({ month: 1, today: 1, monthLimit: 95, todayLimit: 3 });
  });

  it('refuses until the next month where the month is used up', async () => {
    const table = open();
    const tiny: Plan = { monthly: 1, scheduledDaily: 0, clientPercent: 100 };
    const quota = () => new TableBudget({ provider: 'test', table, plan: tiny, now: () => late });
    await quota().reserve();

    expect(await quota().reserve()).toEqual({
      allowed: false,
      retryAt: Date.parse('2026-12-01T00:00:00Z'),
      of: 'service',
    });
  });

  it('keeps the count over the end of every instance', async () => {
    await granted(30, () => new TableBudget({ provider: 'test', table: open(), plan, now: () => late }));

    const restarted = new TableBudget({ provider: 'test', table: open(), plan, now: () => late });
    await restarted.reserve();
    expect(restarted.usage).toMatchObject({ month: 31, today: 31 });
  });

  it('leaves to callers what scheduled work needs', async () => {
    const table = open();
    const noon = Date.parse('2026-11-21T12:00:00Z');
    const quota = () =>
      new TableBudget({
        provider: 'test',
        table,
        plan: { monthly: 3100, scheduledDaily: 40, clientPercent: 100 },
        now: () => noon,
      });

    // Nine tenths of the other 60.
    expect(await granted(200, quota)).toBe(54);
    expect(await quota().reserve('scheduled')).toMatchObject({ allowed: true });
  });

  it('grants leftovers what an even day has not needed so far, and no more than the day has', async () => {
    const table = open();
    const two: Plan = { monthly: 3100, scheduledDaily: 20, clientPercent: 100 };
    const at = (time: string) => () => Date.parse(`2026-11-21T${time}Z`);
    const granting = async (time: string, purpose: Purpose) => {
      const answers = await Promise.all(
        Array.from({ length: 150 }, () =>
          new TableBudget({ provider: 'test', table, plan: two, now: at(time) }).reserve(purpose),
        ),
      );
      return answers.filter(({ allowed }) => allowed).length;
    };

    // Of the 80 that are not for scheduled work four fifths, evenly over the day.
    expect(await granting('00:00:10', 'leftover')).toBe(0);
    expect(await granting('12:00:00', 'leftover')).toBe(32);
    expect(await granting('23:59:50', 'demand')).toBe(48);
    expect(await granting('23:59:50', 'leftover')).toBe(0);
    expect(await granting('23:59:50', 'scheduled')).toBe(20);
    expect(await granting('23:59:50', 'scheduled')).toBe(0);
    expect(await table.get('test#quota#2026-11')).toMatchObject({ spent: 100, d21: 100, e21: 80 });
  });

  it('does not write for what it knows to be used up', async () => {
    const table = open();
    await granted(100, () => new TableBudget({ provider: 'test', table, plan, now: () => late }));
    let calls = 0;
    const counting = hindered(table, async () => void calls++);
    const quota = new TableBudget({ provider: 'test', table: counting, plan, now: () => late });
    await quota.reserve();
    const before = calls;

    for (let n = 0; n < 20; n += 1) expect((await quota.reserve()).allowed).toBe(false);
    expect(calls).toBe(before);
  });
});

describe('a budget without its table', () => {
  const failing = { down: 'rejects', slow: 'hangs' } as const;

  it.each(Object.keys(failing) as (keyof typeof failing)[])(
    'refuses, with a table that is %s, because nobody knows what the others spend',
    async (how) => {
      let works = true;
      const table = guardedTable(
        async () =>
          hindered(open(), async () => {
            if (works) return;
            if (how === 'down') throw new Error('connect ECONNREFUSED');
            await new Promise(() => {});
          }),
        { timeoutMs: 1_000, firstTimeoutMs: 20_000, restMs: 60_000 },
      );
      const quota = new TableBudget({ provider: 'test', table, plan, now: () => late });
      expect((await quota.reserve()).allowed).toBe(true);
      works = false;
      takeMetrics('before');

      const startedAt = performance.now();
      const blind = [];
      for (let n = 0; n < 10; n += 1) blind.push(await quota.reserve());

      expect(performance.now() - startedAt).toBeLessThan(9_000); // it was waited for once, not ten times
      expect(blind).toEqual(Array(10).fill({ allowed: false, retryAt: late + 60_000, of: 'service' }));
      expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ SharedStoreFailures: 1, QuotaRefused: 10 });
    },
  );

  it('refuses in an instance that has never reached it', async () => {
    const table = guardedTable(async () => {
      throw new Error('no such host');
    });
    const quota = new TableBudget({ provider: 'test', table, plan, now: () => late });

    expect(await quota.reserve()).toMatchObject({ allowed: false });
  });

  it('spends from the table again when it is back', async () => {
    let works = true;
    const table = guardedTable(
      async () =>
        hindered(open(), async () => {
          if (!works) throw new Error('connect ECONNREFUSED');
        }),
      { timeoutMs: 20_000, firstTimeoutMs: 20_000, restMs: 50 },
    );
    const quota = new TableBudget({ provider: 'test', table, plan, now: () => late });
    await quota.reserve();
    works = false;
    await quota.reserve();
    works = true;
    await new Promise((resolve) => setTimeout(resolve, 60));

    expect(await quota.reserve()).toMatchObject({ allowed: true });
  });
});

it.each([late, Date.parse('2026-11-03T08:00:00Z')])('memory and table grant alike at %i', async (now) => {
  const table = open();
  const memory = new MemoryBudget(plan, () => now);

  const fromTable = await granted(
    150,
    () => new TableBudget({ provider: 'test', table, plan, now: () => now }),
  );
  expect(await granted(150, () => memory)).toBe(fromTable);
  const three = { ...plan, scheduledDaily: 20 };
  const [ofMemory, inTable] = [
    new MemoryBudget(three, () => now),
    new TableBudget({ provider: 'three', table, plan: three, now: () => now }),
  ];
  for (let n = 0; n < 300; n += 1) {
    const purpose = (['demand', 'leftover', 'scheduled', 'leftover'] as const)[n % 4];
    const { allowed } = await ofMemory.reserve(purpose);
    expect(await inTable.reserve(purpose)).toMatchObject({ allowed });
  }
  expect(await memory.reserve()).toEqual(
    await new TableBudget({ provider: 'test', table, plan, now: () => now }).reserve(),
  );
});
