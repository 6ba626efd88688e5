import { ApiError, isOutage } from '../http/errors.ts';
import { type Answer, currentAnswer, type Patience } from './answer.ts';
import { type Candle, derive, fold, isoSeconds, type PricePoint } from './candles.ts';
import { lifetimes } from './lifetimes.ts';
import { type HistoryKind, PlanLimits } from './plan-limits.ts';
import { type HistoryQuery, PlanRefusal, type ProviderClient, type ProviderRequest } from './provider.ts';
import { closeAfter } from './window.ts';

export interface History {
  readonly candles: Candle[];
  readonly quality: 'exact' | 'derived';
  /** The answer that they are made of. */
  readonly from: Answer<unknown>;
}

type HistoryClient = ProviderClient<'candles' | 'prices'>;

// By client, because a client stands for one key and so for one plan.
const plans = new WeakMap<HistoryClient, PlanLimits>();

async function planOf(client: HistoryClient): Promise<PlanLimits> {
  const plan = plans.get(client) ?? new PlanLimits();
  plans.set(client, plan);
  await plan.recall(await client.planMemory());
  return plan;
}

/** The provider's own candles if the plan has them, else derived. Throws 400 if it has neither so far back. */
export async function history(
  client: HistoryClient,
  query: HistoryQuery,
  patience: Patience,
): Promise<History> {
  const { window } = query;
  const plan = await planOf(client);
  const exact = await unlessRefused(client, plan, 'candles', query, window.from, () =>
    answer(client, client.provider.candles(query), query, patience),
  );
  if (exact) {
    const inWindow = before(window.to, exact.data, ({ time_open }) => time_open);
    return { candles: fold(inWindow, window), quality: 'exact', from: exact };
  }
  const derived = await prices(client, plan, query, patience);
  const inWindow = before(window.to, derived.data, ({ timestamp }) => timestamp);
  return { candles: fold(derive(inWindow, window), window), quality: 'derived', from: derived };
}

function answer<T>(
  client: HistoryClient,
  request: ProviderRequest<T>,
  { window }: HistoryQuery,
  patience: Patience,
): Promise<Answer<T>> {
  const freshUntil = (askedAt: number) => closeAfter(askedAt, window.base);
  const { staleForMs } = lifetimes.history;
  const key = request.key ?? request.path;
  return currentAnswer(client, key, () => ({ ...request, freshUntil, staleForMs }), patience);
}

/** Without an end the provider gives everything up to now; rows are counted, so gaps reach past the end. */
function before<T>(to: number, items: readonly T[], timeOf: (item: T) => string): T[] {
  return items.filter((item) => Date.parse(timeOf(item)) < to);
}

/** The prices from one step before the window, or from the beginning of the plan's reach. */
async function prices(
  client: HistoryClient,
  plan: PlanLimits,
  query: HistoryQuery,
  patience: Patience,
): Promise<Answer<PricePoint[]>> {
  const { window } = query;
  // A second time if the first refusal told how far back the plan reaches.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const reach = Math.ceil(plan.earliest('prices', window.base) / window.stepMs) * window.stepMs;
    if (reach >= window.to) break;
    const from = Math.max(window.from - window.stepMs, reach);
    const found = await unlessRefused(client, plan, 'prices', query, from, () =>
      answer(client, client.provider.prices(query, from), query, patience),
    );
    if (found) return found;
  }
  throw beyondPlan(plan.earliest('prices', window.base));
}

/** Undefined if the plan refuses, now or as remembered. */
async function unlessRefused<T>(
  client: HistoryClient,
  plan: PlanLimits,
  kind: HistoryKind,
  { window: { base } }: HistoryQuery,
  from: number,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  if (plan.earliest(kind, base) > from) return undefined;
  try {
    return await ask();
  } catch (error) {
    // Whether the plan still refuses cannot be found out now; what it allows may be at hand from before.
    if (kind === 'candles' && isOutage(error) && plan.hasRefused(kind, base)) return undefined;
    if (!(error instanceof PlanRefusal)) throw error;
    await plan.note(kind, base, error, Date.now(), await client.planMemory());
    return undefined;
  }
}

function beyondPlan(earliest: number): ApiError {
  const allowed = Number.isFinite(earliest) ? `from ${isoSeconds(earliest)} on` : 'a longer interval';
  const problem = "The provider's plan has no prices for this interval so far back";
  return new ApiError(400, `${problem}; allowed: ${allowed}`);
}
