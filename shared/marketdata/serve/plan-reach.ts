/** How far back the plan reaches: by key and settings, and by what it has refused. */
import { ApiError } from '../../http/errors.ts';
import type { Environment } from '../../platform/environment.ts';
import { isoSeconds } from '../../platform/time.ts';
import { lifetimes } from '../freshness.ts';
import type { HistoryClient, PlanReach, PlanRefusal } from '../provider.ts';
import type { CoinFetched, Refusal } from '../store/coin-object.ts';
import type { Span } from '../window.ts';

export type Kind = keyof PlanReach;

/** Recent refusals of the plan, by kind and interval: how far back it reaches, and until when that is assumed. */
const refusedPlans = new WeakMap<
  HistoryClient['provider'],
  Map<string, { reachMs: number; until: number }>
>();

/** The first moment that the plan is not known to refuse; milliseconds since the epoch. */
export function reachOf(
  environment: Environment,
  { provider }: HistoryClient,
  { base, stepMs }: Pick<Span, 'base' | 'stepMs'>,
  refusals: CoinFetched['refusals'] = {},
  now = Date.now(),
): (kind: Kind) => number {
  return (kind) => {
    const plan = provider.reach?.(environment)[kind][base] ?? Number.POSITIVE_INFINITY;
    const noted = refusedPlans.get(provider)?.get(`${kind} ${base}`);
    const notedReach = noted && now < noted.until ? noted.reachMs : Number.POSITIVE_INFINITY;
    const refusal = refusals[`${kind} ${base}`];
    const ofCoin = refusal && now < refusal.until ? (refusal.since ?? Number.POSITIVE_INFINITY) : -Infinity;
    return Math.ceil(Math.max(now - Math.min(plan, notedReach), ofCoin) / stepMs) * stepMs;
  };
}

/**
 * Remembers a refusal of the plan for an hour, for all coins; for this coin alone if the request kept to the limit that the
 * refusal names, because then the coin itself has no such rows.
 */
export function noteRefusal(
  { provider }: HistoryClient,
  what: string,
  { message, since }: PlanRefusal,
  { keptTo, now }: { readonly keptTo: number; readonly now: number },
): Refusal {
  const until = now + lifetimes.refusalMs;
  if (since !== undefined && since <= keptTo) return { status: 402, message, at: now, until };
  const ofPlan = refusedPlans.get(provider) ?? new Map();
  refusedPlans.set(provider, ofPlan);
  ofPlan.set(what, { reachMs: since === undefined ? Number.NEGATIVE_INFINITY : now - since, until });
  return { status: 402, message, at: now, until, ...(since !== undefined && { since }) };
}

export function beyondPlan(earliest: number): ApiError {
  const allowed = Number.isFinite(earliest) ? `from ${isoSeconds(earliest)} on` : 'a longer interval';
  const problem = "The provider's plan has no prices for this interval so far back";
  return new ApiError(400, `${problem}; allowed: ${allowed}`);
}
