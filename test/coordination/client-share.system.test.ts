import { beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../shared/coordination/allowance.ts';
import { denied, MemoryBudget, TableBudget, type UpstreamBudget } from '../../shared/coordination/budget.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { useTables } from './tables.ts';

const newTable = useTables();

/** 645 a day, of which 146 are for scheduled work. */
const plan: Plan = { monthly: 20_000, scheduledDaily: 146, clientPercent: 10 };
const NOON = Date.parse('2026-11-22T12:10:00Z');
const MOST = 49;

let table: SharedTable;
let now: number;
beforeEach(async () => {
  table = (await newTable())();
  now = NOON;
});

const ofTable = (of = plan) => new TableBudget({ provider: 'test', table, plan: of, now: () => now });

async function granted(quota: UpstreamBudget, client: string, times: number): Promise<number> {
  let count = 0;
  for (let n = 0; n < times; n += 1) if ((await quota.reserve('demand', client)).allowed) count += 1;
  return count;
}

describe.each<[string, () => UpstreamBudget]>([
  ['the table', ofTable],
  ['the memory of one process', () => new MemoryBudget(plan, () => now)],
])('one client’s share of the budget, in %s,', (_name, open) => {
  it('is a tenth of a day’s free requests in an hour, and leaves the others theirs', async () => {
    const quota = open();

    expect(await granted(quota, 'greedy', 200)).toBe(MOST);
    expect(await granted(quota, 'another', 10)).toBe(10);
    expect(await quota.reserve('demand', 'greedy')).toEqual({
      allowed: false,
      retryAt: Date.parse('2026-11-22T13:00:00Z'),
      of: 'client',
    });
  });

  it('is new in the next hour', async () => {
    const quota = open();
    await granted(quota, 'greedy', 200);
    now = Date.parse('2026-11-22T13:00:00Z');

    expect(await granted(quota, 'greedy', 5)).toBe(5);
  });

  it('is nothing that scheduled work has to do with', async () => {
    const quota = open();
    await granted(quota, 'greedy', 200);

    expect(await quota.reserve('scheduled')).toEqual({ allowed: true });
  });
});

describe('a client’s share', () => {
  it('is one for all instances', async () => {
    const instances = Array.from({ length: 5 }, () => ofTable());
    const counts = await Promise.all(instances.map((quota) => granted(quota, 'greedy', 30)));

    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(MOST);
  });

  it('is remembered where it is used up, so that refusing costs the table nothing', async () => {
    const quota = ofTable();
    await granted(quota, 'greedy', MOST + 1);

    let calls = 0;
    const update = table.update.bind(table);
    table.update = (...of) => {
      calls += 1;
      return update(...of);
    };
    expect(await quota.reserve('demand', 'greedy')).toMatchObject({ allowed: false, of: 'client' });
    expect(calls).toBe(0);
    expect(await quota.reserve('demand', 'another')).toEqual({ allowed: true });
    expect(calls).toBeGreaterThan(0);
  });

  it('is never so small that a page with a few charts cannot be shown', async () => {
    const quota = ofTable({ monthly: 620, scheduledDaily: 0, clientPercent: 1 });
    expect(await granted(quota, 'page', 15)).toBe(10);
  });

  it('that is used up is a 429 that says so', () => {
    const refusal = denied({ allowed: false, retryAt: Date.now() + 60_000, of: 'client' });

    expect(refusal).toMatchObject({ statusCode: 429, headers: { 'retry-after': '60' } });
    expect(refusal.message).toBe(
      "Rate limit exceeded: this client's share of the service's upstream budget for this hour; try again in 60 s",
    );
  });
});

describe('close to midnight', () => {
  const midnight = Date.parse('2026-12-01T00:00:00Z');

  it.each([-4_999, -1, 0, 4_999])('nothing is spent, %i ms from it', async (ms) => {
    now = midnight + ms;

    for (const quota of [ofTable(), new MemoryBudget(plan, () => now)]) {
      for (const purpose of ['demand', 'scheduled'] as const) {
        expect(await quota.reserve(purpose)).toEqual({
          allowed: false,
          retryAt: midnight + 5_000,
          of: 'service',
        });
      }
    }
  });

  it.each([-5_000, 5_000])('what there is may be spent, %i ms from it', async (ms) => {
    now = midnight + ms;

    expect(await ofTable().reserve()).toEqual({ allowed: true });
    expect(await new MemoryBudget(plan, () => now).reserve()).toEqual({ allowed: true });
  });

  it('no instance spends more than the month has, with clocks three seconds ahead and behind', async () => {
    const small: Plan = { monthly: 3_100, scheduledDaily: 0, clientPercent: 100 };
    const spent = { before: 0, after: 0 };
    const start = midnight - 20_000;
    const fleet = [-3_000, 0, 3_000].map(
      (skew) => new TableBudget({ provider: 'test', table, plan: small, now: () => now + skew }),
    );
    // All of November's budget is gone but what is left of its last day; every second everybody wants thirty.
    for (now = start; now < midnight + 20_000; now += 1_000) {
      for (const quota of fleet) {
        for (let n = 0; n < 30; n += 1) {
          if ((await quota.reserve()).allowed) spent[now < midnight ? 'before' : 'after'] += 1;
        }
      }
    }
    // A day of November may take 100, whatever an instance's clock says of the day.
    expect(spent.before).toBe(100);
    expect(spent.after).toBeGreaterThan(0);
    expect(spent.after).toBeLessThanOrEqual(100);
  });
});
