import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { goTime } from './time.ts';

/** `starter` is the smallest paid plan; `paid` stands for the largest: no limits. */
export type Plan = 'free' | 'starter' | 'paid';

/** A request beyond the plan; its message is the provider's text. */
export class PlanRefusal extends Error {
  override readonly name = 'PlanRefusal';
}

/** The reach of the plans, as the provider documents it in 2026. */
const reaches = {
  free: { ohlcv: DAY_MS, daily: 365 * DAY_MS, hourly: DAY_MS },
  starter: { ohlcv: 30 * DAY_MS, daily: 5 * 365 * DAY_MS, hourly: 30 * DAY_MS },
};

const where = 'is not allowed in this plan. Check plans on coinpaprika.com/api';

/** Throws a PlanRefusal if the plan does not give OHLCV at this interval and from this start on. */
export function checkOhlcv(plan: Plan, intervalMs: number, startMs: number, nowMs: number): void {
  if (plan === 'paid') return;
  // The provider's text for an interval is not on record; this one is made after the recorded text for a start.
  if (intervalMs < DAY_MS) {
    throw new PlanRefusal(`Getting historical OHLCV data in ${intervalMs / HOUR_MS}h interval ${where}`);
  }
  refuseBefore(nowMs - reaches[plan].ohlcv, startMs, 'historical OHLCV data');
}

/** Throws a PlanRefusal if the plan does not give price history at this interval and from this start on. */
export function checkHistory(plan: Plan, intervalMs: number, startMs: number, nowMs: number): void {
  if (plan === 'paid') return;
  if (intervalMs >= DAY_MS) refuseBefore(nowMs - reaches[plan].daily, startMs, 'daily historical data');
  else if (intervalMs >= HOUR_MS)
    refuseBefore(nowMs - reaches[plan].hourly, startMs, 'hourly historical data');
  else refuseBefore(Infinity, startMs, '5-minute historical data', nowMs);
}

function refuseBefore(limitMs: number, startMs: number, what: string, namedMs = limitMs): void {
  if (startMs < limitMs) throw new PlanRefusal(`Getting ${what} before ${goTime(namedMs)} ${where}`);
}
