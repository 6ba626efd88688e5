import { count, recordValue } from '../platform/metrics.ts';
import { DAY_MS } from '../platform/time.ts';
import {
  type Allowance,
  allowedByNow,
  allows,
  type Budget,
  betweenDays,
  clientShare,
  nextAllowance,
  type Period,
  type Purpose,
  periodOf,
  type Spent,
  spentElsewhere,
  type Usage,
  usageOf,
} from './budget.ts';
import type { Denial, Grant, UpstreamQuota } from './quota.ts';
import {
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type Share,
  TableUnavailable,
  unlessAvailable,
} from './table.ts';

type Options = Share & { readonly budget: Budget };

/** While the table cannot be asked nothing is spent: nobody knows how much the others spend. */
const BLIND_RETRY_MS = 60_000;
const KEEP_DAYS = 60;
/** Remembered here; the others are refused by the table. */
const MAX_REFUSED_CLIENTS = 1_000;
const NOTHING: Spent = { month: 0, today: 0, backfill: 0 };

/**
 * The budget of all instances: one row for each month, with a counter for the month, one for each day (`d21`), and one
 * for its requests for backfill (`b21`), raised together by one conditional write. No number of instances can spend more than the budget, whatever dies when. The
 * month's counter includes those `elsewhere`, by others with the same key.
 */
export class TableQuota implements UpstreamQuota {
  readonly #options: Required<Options>;
  #known: { readonly period: Period; readonly spent: Spent; readonly elsewhere: number } | undefined;
  #refused: { readonly purpose: Purpose; readonly until: number } | undefined;
  readonly #refusedClients = new Map<string, number>();

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
  }

  get usage(): Usage | undefined {
    return this.#known && usageOf(this.#options.budget, this.#known.spent, this.#known.period);
  }

  /** Looks at the counts, so that the first request has one look less to wait for. Never throws. */
  async prepare(): Promise<void> {
    const period = periodOf(this.#options.now());
    const row = await this.#options.table.get(this.#rowKey(period)).catch(() => undefined);
    if (row) this.#learn(period, row);
  }

  known(purpose: Purpose = 'answer', client?: string): Denial | undefined {
    const now = this.#options.now();
    const { until = 0 } = this.#refused?.purpose === purpose ? this.#refused : {};
    if (now < until) return { allowed: false, retryAt: until, of: 'service' };
    const ofClient = client === undefined ? 0 : (this.#refusedClients.get(client) ?? 0);
    return now < ofClient ? { allowed: false, retryAt: ofClient, of: 'client' } : undefined;
  }

  async reserve(purpose: Purpose = 'answer', client?: string): Promise<Grant | Denial> {
    // A budget that is used up stays so; asking the table each time would cost a write for every refusal.
    const known = this.known(purpose, client);
    if (known) return known;
    const now = this.#options.now();
    const resumesAt = betweenDays(now);
    if (resumesAt !== undefined) return { allowed: false, retryAt: resumesAt, of: 'service' };
    const period = periodOf(now);
    try {
      const ofClient = client === undefined ? undefined : await this.#takeShare(client, now);
      if (ofClient) return ofClient;
      if (await this.#take(period, purpose)) {
        this.#tellUsage();
        return { allowed: true };
      }
      const retryAt = nextAllowance(this.#options.budget, this.#spentIn(period), period, purpose);
      this.#refused = { purpose, until: retryAt };
      this.#tellUsage();
      count('QuotaRefused');
      return { allowed: false, retryAt, of: 'service' };
    } catch (error) {
      if (!(error instanceof TableUnavailable)) throw error;
      count('QuotaRefused');
      return { allowed: false, retryAt: now + BLIND_RETRY_MS, of: 'service' };
    }
  }

  async reconcile(left: number): Promise<void> {
    if (!this.#known) return;
    const { table, budget } = this.#options;
    const { period, spent, elsewhere: before } = this.#known;
    const elsewhere = spentElsewhere(budget, spent.month - before, left, period);
    if (elsewhere === before) return;
    const change = {
      update: 'SET #spent = #spent + :more, #elsewhere = :elsewhere',
      // A write that is repeated on a new connection adds nothing.
      condition: 'attribute_not_exists(#elsewhere) OR #elsewhere = :before',
      values: { ':more': elsewhere - before, ':elsewhere': elsewhere, ':before': before },
    };
    const updated = await table.update(this.#rowKey(period), change).catch(unlessAvailable);
    if (!updated) return;
    this.#learn(period, updated.row);
    this.#tellUsage();
  }

  /** Undefined once the client has been charged for the request; one more row for each client and hour. */
  async #takeShare(client: string, now: number): Promise<Denial | undefined> {
    const { table, budget, provider } = this.#options;
    const { hour, endsAt, most } = clientShare(budget, now);
    const { applied } = await table.update(rowKey(provider, 'share', hour, client), {
      update: `SET #spent = if_not_exists(#spent, :zero) + :one, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: 'attribute_not_exists(#spent) OR #spent < :most',
      values: { ':zero': 0, ':one': 1, ':most': most, ':expiry': expiryAt(endsAt) },
    });
    if (applied) return undefined;
    if (this.#refusedClients.size >= MAX_REFUSED_CLIENTS) this.#refusedClients.clear();
    this.#refusedClients.set(client, endsAt);
    count('ClientShareRefused');
    return { allowed: false, retryAt: endsAt, of: 'client' };
  }

  /** False if the month, the day or this moment does not allow for one more. */
  async #take(period: Period, purpose: Purpose): Promise<boolean> {
    const { table, budget } = this.#options;
    if (!this.#isKnown(period)) this.#learn(period, await table.get(this.#rowKey(period)));
    // Once more if the row turned out to be other than this container knew: the day's share follows from it.
    for (let tries = 0; tries < 2; tries += 1) {
      const before = this.#spentIn(period);
      const allowed = allowedByNow(budget, before, period, purpose);
      if (before.month >= budget.monthly || !allows(allowed, before)) return false;
      if (await this.#raise(period, allowed)) return true;
      const after = this.#spentIn(period);
      if (after.month - after.today === before.month - before.today) return false;
    }
    return false;
  }

  async #raise(period: Period, { total, either }: Allowance): Promise<boolean> {
    const [today, own] = [`#d${period.day}`, `#b${period.day}`];
    const raised = ['#spent', today, ...(either ? [own] : [])];
    const isOwn = `attribute_not_exists(${own}) OR ${own} < :own`;
    const isSpare = `attribute_not_exists(${today}) OR ${today} < :spare`;
    const { applied, row } = await this.#options.table.update(this.#rowKey(period), {
      update: `SET ${raised.map((name) => `${name} = if_not_exists(${name}, :zero) + :one`).join(', ')},
        #${EXPIRY_ATTRIBUTE} = :expiry`,
      // A part of which nothing is given out yet is no reason to allow anything.
      condition: `(attribute_not_exists(#spent) OR #spent < :monthly)
        AND (attribute_not_exists(${today}) OR ${today} < :allowed)
        ${either ? `AND (${[either.own > 0 && isOwn, either.spare > 0 && isSpare].filter(Boolean).join(' OR ')})` : ''}`,
      values: {
        ':zero': 0,
        ':one': 1,
        ':monthly': this.#options.budget.monthly,
        ':allowed': total,
        ':expiry': expiryAt(period.dayStart + KEEP_DAYS * DAY_MS),
        ...(either && either.own > 0 && { ':own': either.own }),
        ...(either && either.spare > 0 && { ':spare': either.spare }),
      },
    });
    this.#learn(period, row);
    return applied;
  }

  #spentIn(period: Period): Spent {
    return this.#isKnown(period) ? (this.#known?.spent ?? NOTHING) : NOTHING;
  }

  #isKnown({ month, day }: Period): boolean {
    return this.#known?.period.month === month && this.#known.period.day === day;
  }

  #learn(period: Period, row: Row | undefined): void {
    const spent = {
      month: numberIn(row, 'spent') ?? 0,
      today: numberIn(row, `d${period.day}`) ?? 0,
      backfill: numberIn(row, `b${period.day}`) ?? 0,
    };
    this.#known = { period, spent, elsewhere: numberIn(row, 'elsewhere') ?? 0 };
  }

  #tellUsage(): void {
    const { usage } = this;
    if (!usage) return;
    recordValue('QuotaUsedDay', usage.today);
    recordValue('QuotaUsedMonth', usage.month);
  }

  #rowKey({ month }: Period): string {
    return rowKey(this.#options.provider, 'quota', month);
  }
}
