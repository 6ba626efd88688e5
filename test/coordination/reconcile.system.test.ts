import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../functions/marketdata/jobs/registry/reconcile.ts';
import { type SimulatedOptions, type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import type { Plan } from '../../shared/coordination/allowance.ts';
import { TableBudget } from '../../shared/coordination/budget.ts';
import { openCoordination } from '../../shared/coordination/coordination.ts';
import { guardedTable } from '../../shared/coordination/guarded-table.ts';
import type { CoinOffer } from '../../shared/marketdata/provider.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import type { SharedTable } from '../../shared/platform/table.ts';
import { createClient } from '../../shared/providers/client.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { hindered, useTables } from './tables.ts';

const newTable = useTables();
let open: () => SharedTable;
beforeEach(async () => {
  open = await newTable();
});

describe('the provider’s count of what is left', () => {
  /** The tenth day before the end of a month, late in the evening. */
  const late = Date.parse('2026-11-21T23:59:00Z');
  const budget: Plan = { monthly: 3_000, scheduledDaily: 0, clientPercent: 100 };
  const instance = (changes: Partial<Plan> = {}, table = open()) =>
    new TableBudget({ provider: 'test', table, plan: { ...budget, ...changes }, now: () => late });

  async function spend(count: number): Promise<TableBudget> {
    const quota = instance();
    for (let n = 0; n < count; n += 1) await quota.reserve();
    return quota;
  }

  it('is what all instances have left, in equal parts for the days that remain', async () => {
    const quota = await spend(20);
    await quota.reconcile(500);

    expect(quota.usage).toMatchObject({ month: 2_500, today: 20, todayLimit: 52 });
    const other = instance();
    const granted = await Promise.all(Array.from({ length: 100 }, () => other.reserve()));
    expect(granted.filter(({ allowed }) => allowed)).toHaveLength(32);
  });

  it('changes nothing where the budget has less left', async () => {
    const quota = await spend(20);

    for (const left of [2_980, 2_981, 400_000]) {
      await quota.reconcile(left);
      expect(quota.usage).toMatchObject({ month: 20, todayLimit: 96 });
    }
  });

  it('may rise again, and never gives back what was spent here', async () => {
    const quota = await spend(20);
    await quota.reconcile(500);
    await quota.reconcile(700);
    expect(quota.usage).toMatchObject({ month: 2_300, today: 20 });

    await quota.reconcile(400_000);
    expect(quota.usage).toMatchObject({ month: 20, today: 20 });
  });

  it('taken over twice from the same look counts once', async () => {
    await spend(20);
    const [first, second] = [instance(), instance()];
    await Promise.all([first.reserve(), second.reserve()]);

    await Promise.all([first.reconcile(500), second.reconcile(500)]);

    await first.reserve();
    expect(first.usage?.month).toBeGreaterThanOrEqual(2_500);
    expect(first.usage?.month).toBeLessThanOrEqual(2_502);
  });

  it('loses no request that is granted at the same time', async () => {
    const quota = await spend(5);
    const others = Array.from({ length: 20 }, () => instance());

    await Promise.all([quota.reconcile(1_000), ...others.map((other) => other.reserve())]);

    await quota.reserve();
    expect(quota.usage).toMatchObject({ month: 2_000 + 21, today: 26 });
  });

  it('leaves scheduled work its part, which asks again', async () => {
    const quota = instance({ scheduledDaily: 40 });
    await quota.reserve('scheduled');
    await quota.reconcile(0);

    expect(quota.usage).toMatchObject({ month: 2_600, todayLimit: 40 });
    expect(await instance({ scheduledDaily: 40 }).reserve('scheduled')).toEqual({ allowed: true });
  });

  it('is lost without harm if the table fails', async () => {
    let works = true;
    const failing = hindered(open(), async () => {
      if (!works) throw new Error('connect ECONNREFUSED');
    });
    const quota = instance(
      {},
      guardedTable(async () => failing),
    );
    await quota.reserve();
    works = false;

    await quota.reconcile(500);
    expect(quota.usage).toMatchObject({ month: 1 });
  });
});

describe('the daily look at a paid plan', () => {
  let provider: SimulatedSource;
  afterEach(() => provider.close());

  async function look(
    key: string | undefined,
    { fault = null, ...options }: SimulatedOptions & { readonly fault?: string | null } = {},
  ) {
    provider = (await startSimulated(options)).provider;
    for (let n = 0; n < 300; n += 1) await fetch(`${provider.url}/global`); // by others, with the same key
    provider.setFault(fault);
    const environment = parseEnvironment({
      COINPAPRIKA_BASE_URL: provider.url,
      COINPAPRIKA_API_KEY: key,
      UPSTREAM_MONTHLY_BUDGET: '2000',
    });
    const coordination = openCoordination(environment, coinpaprika, open());
    const client = createClient<CoinOffer>(coinpaprika, environment, {
      coordinate: () => coordination,
      purpose: 'scheduled',
    });
    takeMetrics('before');
    const plan = await reconcile(client, environment);
    const asked = provider.calls.byPath['/key/info'] ?? 0;
    return {
      plan,
      asked,
      month: coordination.budget.usage?.month,
      metrics: JSON.parse(takeMetrics('n') ?? '{}'),
    };
  }

  it('takes what others have spent into the budget, and pays for its own request', async () => {
    const { plan, asked, month, metrics } = await look('a-key', { requestsPerMonth: 2_000 });

    expect(plan).toEqual({ made: 301, left: 1_699 });
    expect([asked, month]).toEqual([1, 301]);
    expect(metrics).toMatchObject({ QuotaUsedMonth: [1, 301] });
    expect(metrics).not.toHaveProperty('BudgetAbovePlan');
  });

  it('counts a budget that is larger than the plan, and keeps to the plan', async () => {
    const { month, metrics } = await look('a-key', { requestsPerMonth: 1_500 });

    expect(metrics).toMatchObject({ BudgetAbovePlan: 1 });
    expect(month).toBe(2_000 - 1_199);
  });

  it.each([
    ['there is no key', undefined, {}, 0, undefined],
    ['the plan has no limit', 'a-key', {}, 1, 1],
  ])('changes nothing where %s', async (_why, key, options, asked, month) => {
    expect(await look(key, options)).toMatchObject({ plan: undefined, asked, month });
  });

  it.each([
    ['status=403', 'CoinPaprika answered 403: Forbidden'],
    ['garbage', 'CoinPaprika gave an unusable answer: broken JSON'],
    ['wrongshape', 'CoinPaprika gave an unusable answer: usage is not an object'],
    ['limit', "Rate limit exceeded: the provider's (CoinPaprika); try again in 60 s"],
  ])('harms nothing where it fails: %s', async (fault, plan) => {
    expect(await look('a-key', { requestsPerMonth: 2_000, fault })).toMatchObject({ plan, month: 1 });
  });
});
