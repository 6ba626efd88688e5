import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../platform/time.ts';
import type { Plan, Purpose } from './allowance.ts';
import { denied, MemoryBudget } from './budget.ts';

const START = Date.parse('2026-11-21T00:00:00Z');
const NOON = START + DAY_MS / 2;
/** Between days nothing is spent. */
const FIRST = START + 5_000;
const LAST = START + DAY_MS - 5_001;
const hundred: Plan = { monthly: 3_100, scheduledDaily: 0, clientPercent: 100 };

/** What is granted of so many tries. */
async function granted(
  budget: MemoryBudget,
  purpose: Purpose,
  tries: number,
  client?: string,
): Promise<number> {
  let count = 0;
  for (let n = 0; n < tries; n += 1) if ((await budget.reserve(purpose, client)).allowed) count += 1;
  return count;
}

describe('a month', () => {
  it.each([1, 10, 29, 30, 95, 1_000])('of %i requests never adds up to more', async (monthly) => {
    for (const month of ['2026-02', '2026-12']) {
      let now = Date.parse(`${month}-01T12:00:00Z`);
      const budget = new MemoryBudget({ monthly, scheduledDaily: 0, clientPercent: 100 }, () => now);
      let spent = 0;
      for (; new Date(now).toISOString().startsWith(month); now += DAY_MS)
        spent += await granted(budget, 'scheduled', 60);
      expect(spent).toBeLessThanOrEqual(monthly);
      expect(spent).toBeGreaterThanOrEqual(Math.min(monthly, 28));
    }
  });

  it('has days of one whole request even where a thirty-first of it is less', async () => {
    const budget = new MemoryBudget({ ...hundred, monthly: 10 }, () => NOON);
    expect(await granted(budget, 'demand', 5)).toBe(1);
  });
});

describe('a day of a hundred requests', () => {
  it('has four fifths for callers at once, and the rest evenly', async () => {
    for (const [now, count] of [
      [FIRST, 81],
      [NOON, 90],
      [LAST, 100],
    ] as const)
      expect(await granted(new MemoryBudget(hundred, () => now), 'demand', 150)).toBe(count);
  });

  it('reserves the purse of scheduled work', async () => {
    const budget = new MemoryBudget({ ...hundred, scheduledDaily: 40 }, () => LAST);
    expect(await granted(budget, 'demand', 150)).toBe(60);
    expect(await granted(budget, 'scheduled', 150)).toBe(40);
  });

  it('gives leftovers what an even day does not need', async () => {
    const budget = new MemoryBudget({ ...hundred, scheduledDaily: 20 }, () => NOON);
    expect(await granted(budget, 'leftover', 150)).toBe(32);
    expect(await granted(budget, 'demand', 150)).toBe(40);
    expect(await granted(budget, 'leftover', 150)).toBe(0);
  });

  it.each(['demand', 'leftover'] as const)('says when %s may continue', async (purpose) => {
    let now = NOON;
    const budget = new MemoryBudget({ ...hundred, scheduledDaily: 20 }, () => now);
    await granted(budget, purpose, 150);
    const denial = await budget.reserve(purpose);
    if (denial.allowed) throw new Error('There was one left');

    now = denial.retryAt - 60_000;
    expect(await budget.reserve(purpose)).toMatchObject({ allowed: false });
    now = denial.retryAt;
    expect(await budget.reserve(purpose)).toEqual({ allowed: true });
  });
});

describe('one client’s share of the budget', () => {
  /** 645 a day, of which 146 are for scheduled work. */
  const plan: Plan = { monthly: 20_000, scheduledDaily: 146, clientPercent: 10 };

  it('is a tenth of a day’s free requests in an hour; others and scheduled work keep theirs', async () => {
    let now = NOON + 600_000;
    const budget = new MemoryBudget(plan, () => now);

    expect(await granted(budget, 'demand', 200, 'greedy')).toBe(49);
    expect(await granted(budget, 'demand', 10, 'another')).toBe(10);
    expect(await budget.reserve('scheduled')).toEqual({ allowed: true });
    const retryAt = NOON + DAY_MS / 24;
    expect(await budget.reserve('demand', 'greedy')).toEqual({ allowed: false, retryAt, of: 'client' });
    now = retryAt;
    expect(await granted(budget, 'demand', 5, 'greedy')).toBe(5);
  });

  it('is never so small that a page with a few charts cannot be shown', async () => {
    const small = { monthly: 620, scheduledDaily: 0, clientPercent: 1 };
    expect(await granted(new MemoryBudget(small, () => NOON), 'demand', 15, 'page')).toBe(10);
  });

  it('that is used up is a 429 that says so', () => {
    const refusal = denied({ allowed: false, retryAt: Date.now() + 60_000, of: 'client' });

    expect(refusal).toMatchObject({ statusCode: 429, headers: { 'retry-after': '60' } });
    expect(refusal.message).toBe(
      "Rate limit exceeded: this client's share of the service's upstream budget for this hour; try again in 60 s",
    );
  });
});

describe('the two purses', () => {
  const anyPlan = fc
    .record({ daily: fc.integer({ min: 1, max: 200 }), scheduledDaily: fc.nat(250) })
    .map(({ daily, scheduledDaily }): Plan => ({ scheduledDaily, monthly: daily * 31, clientPercent: 100 }));
  const purposes = ['scheduled', 'demand', 'leftover'] as const;

  /** Spends a day in the order of the attempts, evenly spread. Returns what each purpose got. */
  async function spend(plan: Plan, attempts: readonly Purpose[]) {
    let now = START;
    const budget = new MemoryBudget(plan, () => now);
    const got = { scheduled: 0, demand: 0, leftover: 0 };
    for (const [index, purpose] of attempts.entries()) {
      now = FIRST + Math.floor((index / attempts.length) * (DAY_MS - 20_000));
      if ((await budget.reserve(purpose)).allowed) got[purpose] += 1;
    }
    return got;
  }

  it('never spend more than the day has, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyPlan,
        fc.array(fc.constantFrom(...purposes), { maxLength: 800 }),
        async (plan, attempts) => {
          const { scheduled, demand, leftover } = await spend(plan, attempts);
          expect(scheduled + demand + leftover).toBeLessThanOrEqual(Math.max(1, plan.monthly / 31));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('give scheduled work its whole purse, although the others try all the time', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const due = Math.min(plan.scheduledDaily, plan.monthly / 31);
        const attempts = Array.from({ length: 1_440 }, (_, minute): Purpose[] => {
          const runs = Math.floor(((minute + 1) * due) / 1_440) - Math.floor((minute * due) / 1_440);
          return ['demand', 'leftover', ...Array<Purpose>(runs).fill('scheduled')];
        });
        const got = await spend(plan, attempts.flat());
        expect(got.scheduled).toBeGreaterThanOrEqual(due - 1);
      }),
      { numRuns: 20 },
    );
  });
});
