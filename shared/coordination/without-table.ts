import type { MarketDataProvider } from '../marketdata/provider.ts';
import type { Environment } from '../platform/environment.ts';
import { budgetOf } from './budget.ts';
import type { Coordination } from './coordination.ts';
import { MemoryQuota } from './memory-quota.ts';
import { limitsOf } from './source-limits.ts';

const quotas = new WeakMap<Environment, Map<string, MemoryQuota>>();

/** What is left without a table: the budget and the limits of this process. Deployed functions have one and load none of this. */
export function coordinationOfThisProcess(
  environment: Environment,
  provider: MarketDataProvider,
): Coordination {
  return { quota: quotaOf(environment, provider.name), limits: limitsOf(environment, provider) };
}

/** One for all clients of a provider, whatever they spend it on. */
function quotaOf(environment: Environment, provider: string): MemoryQuota {
  const ofEnvironment = quotas.get(environment) ?? new Map<string, MemoryQuota>();
  quotas.set(environment, ofEnvironment);
  const quota = ofEnvironment.get(provider) ?? new MemoryQuota(budgetOf(environment));
  ofEnvironment.set(provider, quota);
  return quota;
}
