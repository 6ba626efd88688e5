import type { Environment } from '../platform/environment.ts';
import { SharedCache } from '../providers/client/shared-cache.ts';
import type { ErrorCodec } from '../providers/client/shared-entry.ts';
import type { PlanMemory } from '../providers/coinpaprika/plan-limits.ts';
import { type Budget, budgetOf } from './budget.ts';
import { guardedTable } from './guarded-table.ts';
import { type Observe, unobserved } from './observer.ts';
import { ProviderHealth } from './provider-health.ts';
import type { UpstreamQuota } from './quota.ts';
import { sharedPlan } from './shared-plan.ts';
import type { SharedTable } from './table.ts';
import { TableQuota } from './table-quota.ts';

/** What an instance shares with all others. Without a table only the budget is left, for this instance alone. */
export interface Fleet {
  readonly quota: UpstreamQuota;
  readonly answers?: SharedCache;
  readonly health?: ProviderHealth;
  readonly plan?: PlanMemory;
}

/** The fleet of a DynamoDB table. The AWS SDK is loaded when the table is first asked for something. */
export function createFleet(
  tableName: string,
  environment: Environment,
  errors: ErrorCodec,
  observe: Observe = unobserved,
): Fleet {
  const open = async () => (await import('./dynamo-table.ts')).dynamoTable(tableName);
  const staleWaitMs = Number(environment.STALE_WAIT_MS);
  return fleetOver(guardedTable(open, { observe }), {
    budget: budgetOf(environment),
    errors,
    staleWaitMs,
    observe,
  });
}

/** The fleet that shares a table; all that is in it goes on when the table throws TableUnavailable. */
export function fleetOver(
  table: SharedTable,
  options: {
    readonly budget: Budget;
    readonly errors: ErrorCodec;
    readonly staleWaitMs: number;
    readonly observe: Observe;
  },
): Fleet {
  const { budget, errors, staleWaitMs, observe } = options;
  return {
    quota: new TableQuota({ table, budget, observe }),
    answers: new SharedCache({ table, errors, staleWaitMs, observe }),
    health: new ProviderHealth({ table, errors }),
    plan: sharedPlan(table),
  };
}
