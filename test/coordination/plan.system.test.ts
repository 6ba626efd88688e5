/** The daily reading of a paid plan: what others have spent with the same key. */
import { afterEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../functions/marketdata/jobs/registry/reconcile.ts';
import { type SimulatedOptions, type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { openCoordination } from '../../shared/coordination/coordination.ts';
import type { CoinOffer } from '../../shared/marketdata/provider.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { takeMetrics } from '../../shared/platform/metrics.ts';
import { createClient } from '../../shared/providers/client.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { useTables } from './tables.ts';

const newTable = useTables();
let provider: SimulatedSource;
afterEach(() => provider.close());

describe('the daily reading of a paid plan', () => {
  async function readPlan(
    key: string | undefined,
    { fault = null, ...options }: SimulatedOptions & { readonly fault?: string | null } = {},
  ) {
    provider = (await startSimulated(options)).provider;
    for (let n = 0; n < 30; n += 1) await fetch(`${provider.url}/global`); // by others, with the same key
    provider.setFault(fault);
    const environment = parseEnvironment({
      COINPAPRIKA_BASE_URL: provider.url,
      COINPAPRIKA_API_KEY: key,
      UPSTREAM_MONTHLY_BUDGET: '2000',
    });
    const table = (await newTable())();
    const coordination = openCoordination(environment, coinpaprika, table);
    const client = createClient<CoinOffer>(coinpaprika, environment, {
      coordinate: () => coordination,
      purpose: 'scheduled',
    });
    takeMetrics('before');
    const plan = await reconcile(client, environment);
    const requests = provider.calls.byPath['/key/info'] ?? 0;
    const metrics = JSON.parse(takeMetrics('n') ?? '{}');
    const row = await table.get(`coinpaprika#quota#${new Date().toISOString().slice(0, 7)}`);
    return { plan, requests, month: row?.spent, above: metrics.BudgetAbovePlan };
  }
  const limited = { requestsPerMonth: 2_000 };

  it.each<[string, string | undefined, Parameters<typeof readPlan>[1], object]>([
    [
      'takes what others have spent into the budget, and pays for its own request',
      'a-key',
      limited,
      { plan: { made: 31, left: 1_969 }, requests: 1, month: 31, above: undefined },
    ],
    [
      'counts a budget that is larger than the plan, and keeps to the plan',
      'a-key',
      { requestsPerMonth: 1_500 },
      { month: 2_000 - 1_469, above: 1 },
    ],
    ['is skipped without a key', undefined, {}, { plan: undefined, requests: 0, month: undefined }],
    ['changes nothing for a plan without a limit', 'a-key', {}, { plan: undefined, requests: 1, month: 1 }],
    [
      'harms nothing where it is refused',
      'a-key',
      { ...limited, fault: 'status=403' },
      { plan: 'CoinPaprika answered 403', month: 1 },
    ],
  ])('%s', async (_what, key, options, expected) => {
    expect(await readPlan(key, options)).toMatchObject(expected);
  });
});
