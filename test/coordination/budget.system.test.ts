/** The budget of all instances in a real table; budget.test.ts tests its arithmetic with that of one process. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Plan } from '../../shared/coordination/allowance.ts';
import { MemoryBudget, TableBudget, type UpstreamBudget } from '../../shared/coordination/budget.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { slowLookups } from '../pipeline/slow-lookups.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();

/** A hundred requests a day. */
const hundred: Plan = { monthly: 3_100, scheduledDaily: 0, clientPercent: 100 };
/** Late enough for the whole day's share to be given out; the tenth day before the end of a month. */
const LATE = Date.parse('2026-11-21T23:50:00Z');
const DAY_MS = 86_400_000;

let open: Awaited<ReturnType<typeof newTable>>;
let now: number;
beforeEach(async () => {
  open = await newTable();
  now = LATE;
});

interface Options {
  readonly plan?: Plan;
  readonly table?: SharedTable;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
}
const instance = ({ plan = hundred, table = open(), aheadMs = 0 }: Options = {}) =>
  new TableBudget({ provider: 'test', table, plan, now: () => now + aheadMs });

/** How many of so many simultaneous requests are granted. */
async function granted(count: number, budgetOf: (index: number) => UpstreamBudget, client?: string) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => budgetOf(index).reserve('demand', client)),
  );
  return answers.filter(({ allowed }) => allowed).length;
}

describe('a budget that all instances share', () => {
  it('grants exactly 100 of 300 spends at the same time, though clocks differ by two seconds', async () => {
    const table = open();
    const busy = Array.from({ length: 5 }, (_, n) => instance({ aheadMs: n * 1_000 - 2_000 }));

    const budgetOf = (n: number) => (n % 6 === 5 ? instance({ table }) : (busy[n % 5] as TableBudget));
    expect(await granted(300, budgetOf)).toBe(100);
    expect(await granted(50, (n) => busy[n % 5] as TableBudget)).toBe(0);
    expect(await instance().reserve()).toEqual({
      allowed: false,
      retryAt: Date.parse('2026-11-22T00:00:00Z'),
      of: 'service',
    });
  });

  it('never exceeds the month, and starts again with the next', async () => {
    const plan: Plan = { monthly: 95, scheduledDaily: 0, clientPercent: 100 };
    const perDay: number[] = [];
    const end = Date.parse('2026-12-01T00:00:00Z');
    for (now = Date.parse('2026-11-01T23:59:00Z'); now < end; now += DAY_MS)
      perDay.push(await granted(8, () => instance({ plan })));

    expect(Math.max(...perDay)).toBe(3);
    expect(perDay.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(95);
    const next = instance({ plan });
    expect(await next.reserve()).toMatchObject({ allowed: true });
    expect(next.usage).toEqual({ month: 1, today: 1, todayLimit: 3 });
    const used = { ...plan, monthly: 1 };
    expect(await instance({ plan: used }).reserve()).toEqual({
      allowed: false,
      retryAt: Date.parse('2027-01-01T00:00:00Z'),
      of: 'service',
    });
  });

  it('is not exceeded around midnight by clocks that differ by three seconds', async () => {
    const midnight = Date.parse('2026-12-01T00:00:00Z');
    const spent = { before: 0, after: 0 };
    const fleet = [-3_000, 0, 3_000].map((aheadMs) => instance({ aheadMs }));
    // Every second each instance tries thirty.
    for (now = midnight - 20_000; now < midnight + 20_000; now += 1_000)
      for (const budget of fleet)
        for (let n = 0; n < 30; n += 1)
          if ((await budget.reserve()).allowed) spent[now < midnight ? 'before' : 'after'] += 1;

    // A day may take 100, whatever an instance's clock says of the day.
    expect(spent.before).toBe(100);
    expect(spent.after).toBeGreaterThan(0);
    expect(spent.after).toBeLessThanOrEqual(100);
  });

  it('counts a client’s share over all instances', async () => {
    const plan = { monthly: 20_000, scheduledDaily: 146, clientPercent: 10 };
    const instances = Array.from({ length: 5 }, () => instance({ plan }));
    expect(await granted(150, (n) => instances[n % 5] as TableBudget, 'greedy')).toBe(49);
  });

  it('needs no write where an instance knows that it, or a client’s share, is used up', async () => {
    const plan = { ...hundred, clientPercent: 10 };
    let calls = 0;
    const counting = hindered(open(), async () => void calls++);
    const budget = instance({ plan, table: counting });
    await granted(11, () => budget, 'greedy');
    calls = 0;

    expect(await budget.reserve('demand', 'greedy')).toMatchObject({ allowed: false, of: 'client' });
    expect(calls).toBe(0);
    expect(await budget.reserve('demand', 'another')).toEqual({ allowed: true });
    await granted(100, () => budget);
    calls = 0;
    for (let n = 0; n < 20; n += 1) expect(await budget.reserve()).toMatchObject({ of: 'service' });
    expect(calls).toBe(0);
  });

  it.each([
    ['the day', '2026-11-21T12:00:00Z'],
    ['the month', '2026-11-30T12:00:00Z'],
  ])('that was raised is spent again within a minute by an instance that found %s spent', async (_, time) => {
    now = Date.parse(time);
    const plan = { ...hundred, monthly: 310 };
    const refused = instance({ plan });
    const other = instance({ plan });
    await other.reserve('scheduled');
    // At first the provider says that others have used up the key.
    await other.reconcile(0);
    while ((await refused.reserve('scheduled')).allowed);
    const denial = await refused.reserve('scheduled');
    await other.reconcile(plan.monthly);

    now += 30_000;
    expect(await refused.reserve('scheduled')).toEqual(denial);
    now += 30_000;
    expect(await refused.reserve('scheduled')).toEqual({ allowed: true });
  });

  it.each<[string, number, boolean]>([
    ['late', LATE, true],
    ['in the morning', Date.parse('2026-11-03T08:00:00Z'), true],
    ...[-4_999, 0, 5_000].map((ms): [string, number, boolean] => [
      `${ms} ms from midnight`,
      Date.parse('2026-11-22T00:00:00Z') + ms,
      Math.abs(ms) === 5_000,
    ]),
  ])('grants as the budget of one process does, %s (%i): %s', async (_when, time, isSpent) => {
    now = time;
    const plan = { monthly: 3_100, scheduledDaily: 20, clientPercent: 10 };
    const [memory, table] = [new MemoryBudget(plan, () => now), instance({ plan })];
    const purposes = ['demand', 'leftover', 'scheduled', 'leftover'] as const;
    let count = 0;
    for (let n = 0; n < 200; n += 1) {
      const purpose = purposes[n % 4];
      const { allowed } = await memory.reserve(purpose);
      expect(await table.reserve(purpose)).toMatchObject({ allowed });
      count += allowed ? 1 : 0;
    }
    expect(await table.reserve()).toEqual(await memory.reserve());
    expect(count > 0).toBe(isSpent);
  });
});

describe('a refusal', () => {
  const plan: Plan = { monthly: 31 * 40, scheduledDaily: 10, clientPercent: 30 };
  const anyRequest = fc.record({
    afterMs: fc.constantFrom(0, 0, 0, 20 * 60_000),
    by: fc.constantFrom(0, 1),
    purpose: fc.constantFrom('demand', 'demand', 'leftover', 'scheduled'),
    client: fc.constantFrom('greedy', 'greedy', 'another', undefined),
  });

  it('charges nobody, so that two instances grant what one process with the same requests grants', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRequest, { minLength: 60, maxLength: 100 }), async (requests) => {
        const tableOf = await newTable();
        now = Date.parse('2026-11-21T03:00:00Z');
        const table = tableOf();
        const instances = [instance({ plan, table }), instance({ plan, table })];
        const memory = new MemoryBudget(plan, () => now);
        for (const { afterMs, by, purpose, client } of requests) {
          now += afterMs;
          const answer = await instances[by]?.reserve(purpose, client);
          expect(answer?.allowed).toBe((await memory.reserve(purpose, client)).allowed);
        }
      }),
      { numRuns: 12 },
    );
  });
});

describe('a budget after a pause in which connections are dropped', () => {
  it('is spent at once, although a new connection takes longer than an answer may', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    slowLookups(300);
    const atName = open.server.replace('127.0.0.1', 'localhost');
    const budget = instance({ table: guardedTable(async () => open(atName, { answerWithinMs: 200 })) });

    for (let pause = 0; pause < 3; pause += 1) {
      expect(await budget.reserve()).toEqual({ allowed: true });
      vi.setSystemTime(Date.now() + 20_000);
    }
  });
});

describe('a budget without its table', () => {
  it('refuses while the table is down, because other instances may be spending', async () => {
    let works = true;
    const hinder = async () => {
      if (!works) throw new Error('connect ECONNREFUSED');
    };
    const table = guardedTable(async () => hindered(open(), hinder), 60_000);
    const budget = instance({ table });
    expect((await budget.reserve()).allowed).toBe(true);
    works = false;
    takeMetrics('before');

    const blind = [];
    for (let n = 0; n < 10; n += 1) blind.push(await budget.reserve());

    expect(blind).toEqual(Array(10).fill({ allowed: false, retryAt: LATE + 60_000, of: 'service' }));
    expect(JSON.parse(takeMetrics('n') ?? '')).toMatchObject({ SharedStoreFailures: 1, QuotaRefused: 10 });
  });

  it('refuses before the table was ever reached, and spends again when it is back', async () => {
    let works = false;
    const table = guardedTable(async () => {
      if (!works) throw new Error('no such host');
      return open();
    }, 50);
    const budget = instance({ table });
    expect(await budget.reserve()).toMatchObject({ allowed: false });
    works = true;
    await expect.poll(() => budget.reserve()).toEqual({ allowed: true });
  });
});

describe('the provider’s count of remaining requests', () => {
  const plan: Plan = { ...hundred, monthly: 3_000 };
  const equal = (changes: Partial<Plan> = {}, table = open()) =>
    instance({ plan: { ...plan, ...changes }, table });

  async function spend(count: number): Promise<TableBudget> {
    const budget = equal();
    for (let n = 0; n < count; n += 1) await budget.reserve();
    return budget;
  }

  it('is the rest for all instances, in equal parts for the remaining days', async () => {
    const budget = await spend(20);
    await budget.reconcile(500);

    expect(budget.usage).toMatchObject({ month: 2_500, today: 20, todayLimit: 52 });
    const other = equal();
    expect(await granted(100, () => other)).toBe(32);
  });

  it('changes nothing if the budget has less left, and may rise again without returning what was spent', async () => {
    const budget = await spend(20);
    for (const left of [2_980, 400_000]) {
      await budget.reconcile(left);
      expect(budget.usage).toMatchObject({ month: 20, todayLimit: 96 });
    }
    for (const [left, month] of [
      [500, 2_500],
      [700, 2_300],
      [400_000, 20],
    ] as const) {
      await budget.reconcile(left);
      expect(budget.usage).toMatchObject({ month, today: 20 });
    }
  });

  it('counts once if two instances apply the same reading, and loses no request granted meanwhile', async () => {
    await spend(5);
    const [first, second] = [equal(), equal()];
    await Promise.all([first.reserve(), second.reserve()]);
    const others = Array.from({ length: 20 }, () => equal());

    await Promise.all([
      first.reconcile(1_000),
      second.reconcile(1_000),
      ...others.map((other) => other.reserve()),
    ]);
    await first.reserve();

    expect(first.usage?.today).toBe(5 + 2 + 20 + 1);
    // 2,000 are spent elsewhere and here when they looked; the rest came after that.
    expect(first.usage?.month).toBeGreaterThanOrEqual(2_000 + 21);
    expect(first.usage?.month).toBeLessThanOrEqual(2_000 + 23);
  });

  it('leaves scheduled work its purse', async () => {
    const budget = equal({ scheduledDaily: 40 });
    await budget.reserve('scheduled');
    await budget.reconcile(0);

    expect(budget.usage).toMatchObject({ month: 2_600, todayLimit: 40 });
    expect(await equal({ scheduledDaily: 40 }).reserve('scheduled')).toEqual({ allowed: true });
  });

  it('is lost without harm if the table fails', async () => {
    let works = true;
    const failing = hindered(open(), async () => {
      if (!works) throw new Error('connect ECONNREFUSED');
    });
    const guarded = guardedTable(async () => failing);
    const budget = equal({}, guarded);
    await budget.reserve();
    works = false;

    await budget.reconcile(500);
    expect(budget.usage).toMatchObject({ month: 1 });
  });
});
