import type { MarketDataProvider } from '../marketdata/provider.ts';
import type { PlanMemory, Wishes } from '../marketdata/provider-client.ts';
import type { Environment } from '../platform/environment.ts';
import type { ErrorCodec } from './answer-row.ts';
import { budgetOf } from './budget.ts';
import { guardedTable } from './guarded-table.ts';
import { planMemory } from './plan-memory.ts';
import type { UpstreamQuota } from './quota.ts';
import { SharedAnswers } from './shared-answers.ts';
import { limitsOf, type SourceLimits } from './source-limits.ts';
import type { SharedTable } from './table.ts';
import { TableQuota } from './table-quota.ts';

/** Shared by all instances, for one provider. Without a table only budget and limits are left, of this instance alone. */
export interface Coordination {
  readonly quota: UpstreamQuota;
  readonly limits: SourceLimits;
  readonly answers?: SharedAnswers;
  readonly plan?: PlanMemory;
  /** Loaded when it is first asked for. */
  readonly wishes?: () => Promise<Wishes>;
  /** Does what the first use of the table would have to wait for. Never throws. */
  readonly prepare?: () => Promise<void>;
}

/** All of it goes on without the table when that fails. The AWS SDK is loaded when the table is first asked. */
export function openCoordination(
  environment: Environment,
  source: Pick<MarketDataProvider, 'name' | 'title' | 'isFree' | 'limits'>,
  errors: ErrorCodec,
  table: SharedTable = guardedTable(async () => {
    const { dynamoTable } = await import('./dynamo-table.ts');
    return dynamoTable(environment.SHARED_TABLE ?? '');
  }),
): Coordination {
  const { name: provider, title } = source;
  // A lease outlives the request that it is taken for, unless its holder dies.
  const leaseMs = Number(environment.UPSTREAM_TIMEOUT_MS) + 1_000;
  const quota = new TableQuota({ table, provider, budget: budgetOf(environment) });
  return {
    quota,
    limits: limitsOf(environment, source, table),
    answers: new SharedAnswers({ table, provider, title, errors, leaseMs }),
    plan: planMemory(table, provider),
    wishes: async () => (await import('./wishes.ts')).wishes({ table, provider }),
    prepare: () => quota.prepare(),
  };
}
