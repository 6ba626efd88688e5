/** How many of a month's requests may be spent by a time (UTC), and by which purse. */
import type { Environment } from '../platform/environment.ts';
import { DAY_MS, HOUR_MS, PROVIDER_CLOCK_MARGIN_MS } from '../platform/time.ts';

export interface Plan {
  /** Requests a month. */
  readonly monthly: number;
  /** Requests of each day in the purse of scheduled work; the others are the purse of demand. */
  readonly scheduledDaily: number;
  /** Percent of a day's demand purse that one client may cause in an hour. */
  readonly clientPercent: number;
}

export function planOf(environment: Environment): Plan {
  return {
    monthly: Number(environment.UPSTREAM_MONTHLY_BUDGET),
    scheduledDaily: Number(environment.UPSTREAM_SCHEDULED_DAILY),
    clientPercent: Number(environment.UPSTREAM_CLIENT_PERCENT),
  };
}

/**
 * `scheduled` jobs have their own purse; `demand` is for callers. `leftover` spends only the part of the demand purse that an even
 * day would not have used yet: it fills the past, and refreshes data for callers who already have some.
 */
export type Purpose = 'scheduled' | 'demand' | 'leftover';

/** Callers may spend this part of a day's demand purse at any time; leftovers are what remains below it. */
const CALM = 0.8;
/** A month's budget lasts at least this many days, so that no day takes more than its part. */
const DAYS_TO_LAST = 31;
/** The minimum, whatever the budget: a page with a few charts. */
const LEAST_FOR_CLIENT = 10;
/** A moment's month (`2026-11`) and day (1 to 31), the days left including today, and the elapsed part of the day. */
export interface Period {
  readonly month: string;
  readonly day: number;
  readonly daysLeft: number;
  readonly elapsed: number;
  readonly dayStart: number;
}

/** Requests spent in the whole month, today, and of these by demand and leftovers. */
export interface Spent {
  readonly month: number;
  readonly today: number;
  readonly demand: number;
}

export const NOTHING: Spent = { month: 0, today: 0, demand: 0 };

export function periodOf(now: number): Period {
  const date = new Date(now);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  const day = date.getUTCDate();
  const dayStart = Date.UTC(year, month, day);
  return {
    month: date.toISOString().slice(0, 7),
    day,
    daysLeft: new Date(Date.UTC(year, month + 1, 0)).getUTCDate() - day + 1,
    elapsed: (now - dayStart) / DAY_MS,
    dayStart,
  };
}

/** When spending resumes, if it is too close to midnight to know which day pays; otherwise undefined. */
export function betweenDays(now: number): number | undefined {
  const midnight = Math.round(now / DAY_MS) * DAY_MS;
  const isClose = Math.abs(now - midnight) < PROVIDER_CLOCK_MARGIN_MS;
  return isClose ? midnight + PROVIDER_CLOCK_MARGIN_MS : undefined;
}

/** An equal share of what the month had left at the day's beginning; at most a thirty-first of the budget. */
export function limitOfToday({ monthly }: Plan, { month, today }: Spent, { daysLeft }: Period): number {
  const left = monthly - (month - today);
  const share = Math.floor(Math.min(left / daysLeft, monthly / DAYS_TO_LAST));
  return Math.max(0, Math.min(left, Math.max(1, share)));
}

/** Today's requests that may be spent by now: in all, and by demand. */
export interface Allowance {
  readonly total: number;
  readonly demand: number;
}

export function allowedByNow(plan: Plan, spent: Spent, period: Period, purpose: Purpose): Allowance {
  const total = limitOfToday(plan, spent, period);
  if (purpose === 'scheduled') return { total, demand: Number.POSITIVE_INFINITY };
  const purse = Math.max(0, total - plan.scheduledDaily);
  const { elapsed } = period;
  // The last fifth is released evenly, so that the evening has some.
  const part = purpose === 'demand' ? CALM + (1 - CALM) * elapsed : CALM * elapsed;
  return { total, demand: purpose === 'demand' ? Math.ceil(purse * part) : Math.floor(purse * part) };
}

export function allows(plan: Plan, spent: Spent, { total, demand }: Allowance): boolean {
  return spent.month < plan.monthly && spent.today < total && spent.demand < demand;
}

/** When a retry makes sense (ms since the epoch): the next part of the day's purse, the next day, or month. */
export function nextAllowance(plan: Plan, spent: Spent, period: Period, purpose: Purpose): number {
  const nextDay = period.dayStart + DAY_MS;
  if (spent.month >= plan.monthly) return period.dayStart + period.daysLeft * DAY_MS;
  const limit = limitOfToday(plan, spent, period);
  const purse = limit - plan.scheduledDaily;
  if (purpose === 'scheduled' || spent.today >= limit || purse <= 0) return nextDay;
  const part = spent.demand / purse;
  const at = purpose === 'demand' ? (part - CALM) / (1 - CALM) : (spent.demand + 1) / purse / CALM;
  return Math.min(nextDay, period.dayStart + Math.ceil(Math.max(period.elapsed, at) * DAY_MS) + 1);
}

/** The hour of a client's share, its end (ms since the epoch), and the requests allowed in it. */
export function clientShare({ monthly, scheduledDaily, clientPercent }: Plan, now: number) {
  const hour = Math.floor(now / HOUR_MS);
  const purse = Math.max(0, monthly / DAYS_TO_LAST - scheduledDaily);
  const most = Math.max(LEAST_FOR_CLIENT, Math.floor((purse * clientPercent) / 100));
  return { hour, endsAt: (hour + 1) * HOUR_MS, most };
}

/**
 * The month's requests that others must have made with the same key, given our `own` and the provider's count of the rest.
 * Scheduled work keeps its part, because it makes the next request for that count.
 */
export function spentByOthers(
  { monthly, scheduledDaily }: Plan,
  own: number,
  left: number,
  { daysLeft }: Period,
) {
  const kept = Math.max(1, scheduledDaily) * daysLeft;
  return Math.max(0, monthly - own - Math.max(Math.floor(left), kept));
}
