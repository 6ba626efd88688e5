import type { BaseRows } from './history-of.ts';
import { PlanLimits } from './plan-limits.ts';
import {
  type HistoryClient,
  HistoryRequest,
  type PriceLookup,
  type UpstreamOptions,
  type WindowQuery,
} from './upstream-rows.ts';
import { wishLimit } from './wish-limit.ts';

/** A provider as charts ask it. */
export interface Upstream {
  /**
   * The base candles of a window: the provider's own if the plan has them, else derived. Throws 400 if it has neither so
   * far back, and as `ProviderClient.load` does.
   */
  rows(query: WindowQuery, options: UpstreamOptions): Promise<BaseRows>;
  /** The same for callers who have a good answer already. */
  spareRows(query: WindowQuery, options: UpstreamOptions): Promise<BaseRows>;
  /** Where the plan begins to refuse nothing of a coin, as far as is known; milliseconds since the epoch. */
  reach(query: Pick<WindowQuery, 'id' | 'window'>): Promise<number>;
  /** Asks the next backfill to store what is missing of a coin. Never throws. */
  wish(query: Pick<WindowQuery, 'id' | 'window'>): Promise<void>;
}

// By client, because a client stands for one key and so for one plan.
const plans = new WeakMap<HistoryClient, PlanLimits>();

function planOf(client: HistoryClient): PlanLimits {
  const plan = plans.get(client) ?? new PlanLimits();
  plans.set(client, plan);
  return plan;
}

async function recallPlan(plan: PlanLimits, client: HistoryClient): Promise<void> {
  await plan.recall(await client.planMemory());
}

const mayWish = wishLimit();

/**
 * `spare` spends only what nobody else needs. The newest rows are held against the price that `priceOf` finds; until it
 * finds one they are `derived` at best, and not to be stored.
 */
export function upstreamOf(
  client: HistoryClient,
  spare = client,
  priceOf: PriceLookup = async () => undefined,
): Upstream {
  const plan = planOf(client);
  const rowsOf =
    (from: HistoryClient): Upstream['rows'] =>
    async (query, options) => {
      await recallPlan(plan, client);
      return new HistoryRequest(from, query, { ...options, priceOf }, plan).answer();
    };
  return {
    rows: rowsOf(client),
    spareRows: rowsOf(spare),
    async reach({ id, window: { base } }) {
      await recallPlan(plan, client);
      return Math.min(plan.earliest('candles', base, id), plan.earliest('prices', base, id));
    },
    async wish({ id, window: { base } }) {
      const wishes = await client.wishes();
      if (wishes && mayWish(`${base} ${id}`)) await wishes.file(id, base);
    },
  };
}
