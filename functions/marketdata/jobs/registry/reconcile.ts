import { planOf } from '../../../../shared/coordination/allowance.ts';
import type { PlanUsage, ProviderClient } from '../../../../shared/marketdata/provider.ts';
import type { Environment } from '../../../../shared/platform/environment.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';

const TIME_MS = 10_000;

/**
 * Corrects the budget to the provider's own count of a paid plan's requests, because others may use the same key. Returns that
 * count, or why there is none; undefined without a key or a limit. Never throws: the budget has its own count.
 */
export async function reconcile(
  client: ProviderClient,
  settings: Environment,
): Promise<PlanUsage | string | undefined> {
  const { settings: names, usage } = client.provider;
  if (!usage || !names.key || !settings[names.key]) return undefined;
  try {
    const { data } = await client.fetch(usage(), Date.now() + TIME_MS);
    if (!data) return undefined;
    if (data.made + data.left < planOf(settings).monthly) count('BudgetAbovePlan');
    await client.reconcile(data);
    return data;
  } catch (error) {
    return messageOf(error);
  }
}
