/** The arithmetic of the upstream budget: how much of a month's requests may be spent by when, in UTC. */
import type { Environment } from '../platform/environment.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';

export interface Budget {
  /** Requests a month. */
  readonly monthly: number;
  /** Requests a day that are kept for scheduled work, such as a snapshot of all tickers. */
  readonly scheduledDaily: number;
  /** Requests a day that are kept for filling the history; at most `BACKFILL_SHARE` of what scheduled work leaves. */
  readonly backfillDaily: number;
  /** Percent of a day's other requests that one client may cause in an hour. */
  readonly clientPercent: number;
}

export function budgetOf(environment: Environment): Budget {
  return {
    monthly: Number(environment.UPSTREAM_MONTHLY_BUDGET),
    scheduledDaily: Number(environment.UPSTREAM_SCHEDULED_DAILY),
    backfillDaily: Number(environment.UPSTREAM_BACKFILL_DAILY),
    clientPercent: Number(environment.UPSTREAM_CLIENT_PERCENT),
  };
}

/**
 * `scheduled` work may spend what is kept for it, and `backfill` of the history what is kept for that or what nobody has
 * needed so far; an `answer` to a caller leaves both alone. `spare` is for answers to callers who have a good one
 * already: those without one come first.
 */
export type Purpose = 'answer' | 'scheduled' | 'backfill' | 'spare';

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

/** Requests spent in the whole month, of those today, and of these on backfill. */
export interface Spent {
  readonly month: number;
  readonly today: number;
  readonly backfill: number;
}

/** One more request of today is allowed if fewer than `total` are spent, and all else that is said holds as well. */
export interface Allowance {
  readonly total: number;
  /** For backfill: if fewer than `own` of these are its own, or fewer than `spare` are spent. */
  readonly either?: { readonly own: number; readonly spare: number };
}

export interface Usage extends Omit<Spent, 'backfill'> {
  readonly monthLimit: number;
  readonly todayLimit: number;
}

/** Up to this part of a day's share all is normal. */
const CALM = 0.8;
/** Backfill is kept this part of what scheduled work leaves, at most: callers are what the rest is for. */
const BACKFILL_SHARE = 0.6;
/** Spare requests may be so much of what is kept for nobody ahead of an even day; backfill takes all up to there. */
const SPARE_SHARE = 0.1;
/** Two instances may have looked before either has written, at the day's very end. */
const BACKFILL_MARGIN = 2;
/** A month's budget is made to last this many days at least, so that a day never takes more than its part of it. */
const DAYS_TO_LAST = 31;

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

/** An equal part of what was left of the month at the day's beginning; a thirty-first of its budget at most. */
export function limitOfToday({ monthly }: Budget, spent: Spent, { daysLeft }: Period): number {
  const left = monthly - (spent.month - spent.today);
  const share = Math.floor(Math.min(left / daysLeft, monthly / DAYS_TO_LAST));
  return Math.max(0, Math.min(left, Math.max(1, share)));
}

/**
 * Answers: of what is kept for nobody, four fifths at any time; the last fifth is given out evenly, so that the evening
 * has some, as is what is kept for others. Backfill: its own part evenly, whatever others spend, and what all have left
 * over of an even day; never what scheduled work still needs today. Spare: what all have left over.
 */
export function allowedByNow(budget: Budget, spent: Spent, period: Period, purpose: Purpose): Allowance {
  const limit = limitOfToday(budget, spent, period);
  if (purpose === 'scheduled') return { total: limit };
  const { elapsed } = period;
  const { scheduled, backfill, free } = parts(budget, limit);
  const kept = scheduled + backfill;
  if (purpose === 'answer') {
    return { total: Math.ceil(kept * elapsed + free * (CALM + (1 - CALM) * elapsed)) };
  }
  const spare = (kept + CALM * free) * elapsed;
  if (purpose === 'spare') return { total: Math.ceil(spare + SPARE_SHARE * free) };
  return {
    total: Math.max(0, limit - Math.ceil(scheduled * (1 - elapsed)) - BACKFILL_MARGIN),
    either: { own: Math.ceil(backfill * elapsed), spare },
  };
}

export function allows({ total, either }: Allowance, { today, backfill }: Spent): boolean {
  return today < total && (!either || backfill < either.own || today < either.spare);
}

/** When asking again makes sense (ms since the epoch): the next part of the day's share, the next day, or month. */
export function nextAllowance(
  budget: Budget,
  spent: Spent,
  period: Period,
  purpose: Purpose = 'answer',
): number {
  const nextDay = period.dayStart + DAY_MS;
  if (spent.month >= budget.monthly) return period.dayStart + period.daysLeft * DAY_MS;
  const limit = limitOfToday(budget, spent, period);
  if (spent.today >= limit) return nextDay;
  const at = partOfDay[purpose](parts(budget, limit), limit, spent);
  return Math.min(nextDay, period.dayStart + Math.ceil(Math.max(period.elapsed, at) * DAY_MS) + 1);
}

/** The part of the day after which one more answer is allowed. */
function answerAt({ scheduled, backfill, free }: Parts, _limit: number, { today }: Spent): number {
  return reached(today - free * CALM, scheduled + backfill + free * (1 - CALM));
}

function backfillAt({ scheduled, backfill, free }: Parts, limit: number, spent: Spent): number {
  const { today, backfill: own } = spent;
  const room = limit - BACKFILL_MARGIN - 1 - today;
  const inTotal = room < 0 ? 1 : 1 - reached(room, scheduled);
  const either = Math.min(reached(own, backfill), reached(today, scheduled + backfill + CALM * free));
  return Math.max(inTotal, either);
}

function spareAt({ scheduled, backfill, free }: Parts, _limit: number, { today }: Spent): number {
  return reached(today - SPARE_SHARE * free, scheduled + backfill + CALM * free);
}

/** After which part of the day one more request is allowed. */
const partOfDay = { answer: answerAt, scheduled: answerAt, backfill: backfillAt, spare: spareAt } as const;

/** The part of the day after which more than an amount is given out, of what is given out evenly. */
function reached(amount: number, daily: number): number {
  return daily === 0 ? 1 : amount / daily;
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
  const { month, today } = spent;
  return { month, today, monthLimit: budget.monthly, todayLimit: limitOfToday(budget, spent, period) };
}

/** What backfill gets of an even day: kept for it in any case, and at most, if others need nothing beyond their parts. */
export function requestsADay(budget: Budget): { readonly kept: number; readonly most: number } {
  const { backfill, free } = parts(budget, Math.floor(budget.monthly / DAYS_TO_LAST));
  return { kept: backfill, most: backfill + Math.floor(CALM * free) };
}

/** A day's share by what it is kept for. */
interface Parts {
  readonly scheduled: number;
  readonly backfill: number;
  readonly free: number;
}

function parts({ scheduledDaily, backfillDaily }: Budget, limit: number): Parts {
  const scheduled = Math.min(scheduledDaily, limit);
  const backfill = Math.min(backfillDaily, Math.floor(BACKFILL_SHARE * (limit - scheduled)));
  return { scheduled, backfill, free: limit - scheduled - backfill };
}
