/** The arithmetic of the upstream budget: how much of a month's requests may be spent by when, in UTC. */
import type { Environment } from '../platform/environment.ts';

export interface Budget {
  /** Requests a month. */
  readonly monthly: number;
  /** Requests a day that are kept for scheduled work, such as a snapshot of all tickers. */
  readonly scheduledDaily: number;
  /** Percent of a day's other requests that one client may cause in an hour. */
  readonly clientPercent: number;
}

export function budgetOf(environment: Environment): Budget {
  return {
    monthly: Number(environment.UPSTREAM_MONTHLY_BUDGET),
    scheduledDaily: Number(environment.UPSTREAM_SCHEDULED_DAILY),
    clientPercent: Number(environment.UPSTREAM_CLIENT_PERCENT),
  };
}

/** `scheduled` work may spend what is kept for it; an `answer` to a caller leaves that alone. */
export type Purpose = 'answer' | 'scheduled';

/** A moment's month (`2026-11`) and day (1 to 31), and how much of them is left. */
export interface Period {
  readonly month: string;
  readonly day: number;
  /** Today included. */
  readonly daysLeft: number;
  /** The part of the day that is over, 0 to 1. */
  readonly elapsed: number;
  /** Milliseconds since the epoch. */
  readonly dayStart: number;
}

/** Requests spent in the whole month, and of those today. */
export interface Spent {
  readonly month: number;
  readonly today: number;
}

export interface Usage extends Spent {
  readonly monthLimit: number;
  readonly todayLimit: number;
}

export const DAY_MS = 86_400_000;
/** Up to this part of a day's share all is normal. */
const CALM = 0.8;
/** A month's budget is made to last this many days at least, so that a day never takes more than its part of it. */
const DAYS_TO_LAST = 30;

const HOUR_MS = 3_600_000;
/** Whatever the budget: a page with a few charts. */
const LEAST_FOR_CLIENT = 10;
/** Instances' clocks differ from the provider's, and from each other: so close to midnight nobody knows the day. */
const CLOCK_MARGIN_MS = 5_000;

/** The hour of a client's share, its end (ms since the epoch), and the requests that it may cause in it. */
export function clientShare({ monthly, scheduledDaily, clientPercent }: Budget, now: number) {
  const hour = Math.floor(now / HOUR_MS);
  const free = Math.max(0, monthly / DAYS_TO_LAST - scheduledDaily);
  const most = Math.max(LEAST_FOR_CLIENT, Math.floor((free * clientPercent) / 100));
  return { hour, endsAt: (hour + 1) * HOUR_MS, most };
}

/** When requests are paid for again, if it is too close to midnight to tell which day pays; else undefined. */
export function betweenDays(now: number): number | undefined {
  const midnight = Math.round(now / DAY_MS) * DAY_MS;
  return Math.abs(now - midnight) < CLOCK_MARGIN_MS ? midnight + CLOCK_MARGIN_MS : undefined;
}

export function periodOf(now: number): Period {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const dayStart = Date.UTC(year, month, day);
  return {
    month: date.toISOString().slice(0, 7),
    day,
    daysLeft: new Date(Date.UTC(year, month + 1, 0)).getUTCDate() - day + 1,
    elapsed: (now - dayStart) / DAY_MS,
    dayStart,
  };
}

/** An equal part of what was left of the month at the day's beginning; a thirtieth of its budget at most. */
export function limitOfToday({ monthly }: Budget, spent: Spent, { daysLeft }: Period): number {
  const left = monthly - (spent.month - spent.today);
  const share = Math.floor(Math.min(left / daysLeft, monthly / DAYS_TO_LAST));
  return Math.max(0, Math.min(left, Math.max(1, share)));
}

/** Of today's share, four fifths at any time; the last is given out evenly, so that the evening has some. */
export function allowedByNow(budget: Budget, spent: Spent, period: Period, purpose: Purpose): number {
  const limit = limitOfToday(budget, spent, period);
  if (purpose === 'scheduled') return limit;
  const { scheduled, free } = parts(budget, limit);
  return Math.ceil(scheduled * period.elapsed + free * (CALM + (1 - CALM) * period.elapsed));
}

/** When asking again makes sense (ms since the epoch): the next part of the day's share, the next day, or month. */
export function nextAllowance(budget: Budget, spent: Spent, period: Period): number {
  const nextDay = period.dayStart + DAY_MS;
  if (spent.month >= budget.monthly) return period.dayStart + period.daysLeft * DAY_MS;
  const limit = limitOfToday(budget, spent, period);
  if (spent.today >= limit) return nextDay;
  const { scheduled, free } = parts(budget, limit);
  const rest = scheduled + free * (1 - CALM);
  const at = rest === 0 ? 1 : (spent.today - free * CALM) / rest;
  return Math.min(nextDay, period.dayStart + Math.ceil(Math.max(period.elapsed, at) * DAY_MS) + 1);
}

/**
 * The month's requests that others must have made with the same key, if we made `own` and the provider says that so
 * many are left. Scheduled work keeps its part: it is what asks the provider again.
 */
export function spentElsewhere(
  { monthly, scheduledDaily }: Budget,
  own: number,
  left: number,
  { daysLeft }: Period,
): number {
  const kept = Math.max(1, scheduledDaily) * daysLeft;
  return Math.max(0, monthly - own - Math.max(Math.floor(left), kept));
}

export function usageOf(budget: Budget, spent: Spent, period: Period): Usage {
  return { ...spent, monthLimit: budget.monthly, todayLimit: limitOfToday(budget, spent, period) };
}

function parts({ scheduledDaily }: Budget, limit: number): { scheduled: number; free: number } {
  const scheduled = Math.min(scheduledDaily, limit);
  return { scheduled, free: limit - scheduled };
}
