import { beforeEach, describe, expect, it } from 'vitest';
import { type Budget, clientShare } from '../../shared/coordination/budget.ts';
import { MemoryQuota } from '../../shared/coordination/memory-quota.ts';
import { denied, type UpstreamQuota } from '../../shared/coordination/quota.ts';
import type { SharedTable } from '../../shared/coordination/table.ts';
import { TableQuota } from '../../shared/coordination/table-quota.ts';
import { useTables } from './tables.ts';

const newTable = useTables();

/** 645 a day, of which 146 are for scheduled work. */
const budget: Budget = { monthly: 20_000, scheduledDaily: 146, backfillDaily: 0, clientPercent: 10 };
const NOON = Date.parse('2026-11-22T12:10:00Z');
const MOST = 49;

let table: SharedTable;
let now: number;
beforeEach(async () => {
  table = (await newTable())();
  now = NOON;
});

const ofTable = (of = budget) => new TableQuota({ provider: 'test', table, budget: of, now: () => now });

async function granted(quota: UpstreamQuota, client: string, times: number): Promise<number> {
  let count = 0;
  for (let n = 0; n < times; n += 1) if ((await quota.reserve('answer', client)).allowed) count += 1;
  return count;
}

describe.each<[string, () => UpstreamQuota]>([
  ['the table', ofTable],
  ['the memory of one process', () => new MemoryQuota(budget, () => now)],
])('one client’s share of the budget, in %s,', (_name, open) => {
  it('is a tenth of a day’s free requests in an hour, and leaves the others theirs', async () => {
    const quota = open();

    expect(await granted(quota, 'greedy', 200)).toBe(MOST);
    expect(await granted(quota, 'another', 10)).toBe(10);
    expect(await quota.reserve('answer', 'greedy')).toEqual({
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

    expect(quota.known('answer', 'greedy')).toMatchObject({ of: 'client' });
    expect(quota.known('answer', 'another')).toBeUndefined();
  });

  it('is never so small that a page with a few charts cannot be shown', () => {
    expect(
      clientShare({ monthly: 30, scheduledDaily: 0, backfillDaily: 0, clientPercent: 1 }, NOON).most,
    ).toBe(10);
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

    for (const quota of [ofTable(), new MemoryQuota(budget, () => now)]) {
      for (const purpose of ['answer', 'scheduled'] as const) {
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
    expect(await new MemoryQuota(budget, () => now).reserve()).toEqual({ allowed: true });
  });

  it('no instance spends more than the month has, with clocks three seconds ahead and behind', async () => {
    const small: Budget = { monthly: 3_100, scheduledDaily: 0, backfillDaily: 0, clientPercent: 100 };
    const spent = { before: 0, after: 0 };
    const start = midnight - 20_000;
    const fleet = [-3_000, 0, 3_000].map(
      (skew) => new TableQuota({ provider: 'test', table, budget: small, now: () => now + skew }),
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
