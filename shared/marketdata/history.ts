import { ApiError, isOutage } from '../http/errors.ts';
import type { Cached } from '../providers/client/cache.ts';
import { PlanRefusal } from '../providers/coinpaprika/answers.ts';
import type { CoinPaprika, ProviderData } from '../providers/coinpaprika/client.ts';
import * as provider from '../providers/coinpaprika/history.ts';
import { PlanLimits } from '../providers/coinpaprika/plan-limits.ts';
import { type Candle, derive, fold, isoSeconds, type PricePoint } from './candles.ts';

export interface History {
  readonly candles: Candle[];
  readonly quality: 'exact' | 'derived';
  readonly from: Cached<ProviderData<unknown>>;
}

// By client, because a client stands for one key and so for one plan.
const limitsOf = new WeakMap<CoinPaprika, PlanLimits>();

/**
 * The candles of a window, from the provider's own candles where the plan has them, else derived from its free
 * price history. Throws 400 where the plan has neither so far back, and what the provider client throws.
 */
export async function history(
  client: CoinPaprika,
  query: provider.HistoryQuery,
  deadline: number,
): Promise<History> {
  const limits = limitsOf.get(client) ?? new PlanLimits();
  limitsOf.set(client, limits);
  await limits.recall(await client.plan?.());
  const { window } = query;

  const exact = await unlessRefused(client, limits, 'candles', query, window.from, () =>
    provider.candles(client, query, deadline),
  );
  if (exact) {
    const inWindow = before(window.to, exact.value.value, ({ time_open }) => time_open);
    return { candles: fold(inWindow, window), quality: 'exact', from: exact };
  }
  const derived = await prices(client, limits, query, deadline);
  const inWindow = before(window.to, derived.value.value, ({ timestamp }) => timestamp);
  return { candles: fold(derive(inWindow, window), window), quality: 'derived', from: derived };
}

/** Where no end is asked for, the provider gives what it has up to now; rows are counted, so gaps reach past the end. */
function before<T>(to: number, items: readonly T[], timeOf: (item: T) => string): T[] {
  return items.filter((item) => Date.parse(timeOf(item)) < to);
}

/** The prices from one step before the window, or from where the plan's reach begins. */
async function prices(
  client: CoinPaprika,
  limits: PlanLimits,
  query: provider.HistoryQuery,
  deadline: number,
): Promise<Cached<ProviderData<PricePoint[]>>> {
  const { window } = query;
  // A second time where the first refusal told how far back the plan reaches.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const reach = Math.ceil(limits.earliest('prices', window.base) / window.stepMs) * window.stepMs;
    if (reach >= window.to) break;
    const from = Math.max(window.from - window.stepMs, reach);
    const found = await unlessRefused(client, limits, 'prices', query, from, () =>
      provider.prices(client, query, from, deadline),
    );
    if (found) return found;
  }
  throw beyondPlan(limits.earliest('prices', window.base));
}

/** Undefined where the plan refuses, now or as remembered. */
async function unlessRefused<T>(
  client: CoinPaprika,
  limits: PlanLimits,
  kind: 'candles' | 'prices',
  { window }: provider.HistoryQuery,
  from: number,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  if (limits.earliest(kind, window.base) > from) return undefined;
  try {
    return await ask();
  } catch (error) {
    // Whether the plan still refuses cannot be found out now; what it allows may be at hand from before.
    if (kind === 'candles' && isOutage(error) && limits.hasRefused(kind, window.base)) return undefined;
    if (!(error instanceof PlanRefusal)) throw error;
    await limits.note(kind, window.base, error, Date.now(), await client.plan?.());
    return undefined;
  }
}

function beyondPlan(earliest: number): ApiError {
  const allowed = Number.isFinite(earliest) ? `from ${isoSeconds(earliest)} on` : 'a longer interval';
  return new ApiError(
    400,
    `The provider's plan has no prices for this interval so far back; allowed: ${allowed}`,
  );
}
