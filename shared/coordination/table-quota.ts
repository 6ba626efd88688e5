import {
  allowedByNow,
  type Budget,
  DAY_MS,
  limitOfToday,
  nextAllowance,
  type Period,
  type Purpose,
  periodOf,
  type Spent,
  stretchOf,
  type Usage,
  usageOf,
} from './budget.ts';
import { type Observe, unobserved } from './observer.ts';
import type { Denial, Grant, UpstreamQuota } from './quota.ts';
import { EXPIRY_ATTRIBUTE, numberIn, type Row, type SharedTable, TableUnavailable } from './table.ts';

interface Options {
  readonly table: SharedTable;
  readonly budget: Budget;
  readonly now?: () => number;
  readonly observe?: Observe;
}

/** Part of a day's share that containers may buy ahead, for when the table cannot be asked. */
const POCKET_SHARE = 0.05;
/** Requests that one container buys ahead. */
const POCKET_SIZE = 2;
/** Lifetimes while the table cannot be asked: long, because nobody knows what the others spend. */
const BLIND_STRETCH = 10;
const BLIND_RETRY_MS = 60_000;
const KEEP_DAYS = 60;

/**
 * The budget of the whole fleet: one row for each month, with a counter for the month and one for each day, both
 * raised by one conditional write. No number of instances can spend more than the budget, whatever dies when.
 *
 * Where the table cannot be asked, a container goes on with the few requests of the day that it has paid for ahead
 * (its pocket), so that the budget holds even then.
 */
export class TableQuota implements UpstreamQuota {
  readonly #table: SharedTable;
  readonly #budget: Budget;
  readonly #now: () => number;
  readonly #observe: Observe;
  #known: { readonly period: Period; readonly spent: Spent; readonly pockets: number } | undefined;
  #pocket = { month: '', day: 0, left: 0 };
  #hasSpent = false;
  #refused: { readonly purpose: Purpose; readonly until: number } | undefined;

  constructor({ table, budget, now = Date.now, observe = unobserved }: Options) {
    this.#table = table;
    this.#budget = budget;
    this.#now = now;
    this.#observe = observe;
  }

  get usage(): Usage | undefined {
    return this.#known && usageOf(this.#budget, this.#known.spent, this.#known.period);
  }

  known(purpose: Purpose = 'answer'): Denial | undefined {
    const { until = 0 } = this.#refused?.purpose === purpose ? this.#refused : {};
    return this.#now() < until ? { allowed: false, retryAt: until } : undefined;
  }

  async spend(purpose: Purpose = 'answer'): Promise<Grant | Denial> {
    // What is used up stays so; asking the table each time would cost a write for every refusal.
    const known = this.known(purpose);
    if (known) return known;
    const now = this.#now();
    const period = periodOf(now);
    try {
      return await this.#spend(period, purpose);
    } catch (error) {
      if (!(error instanceof TableUnavailable)) throw error;
      const grant = this.#fromPocket(period);
      if (!grant) this.#observe({ kind: 'spend', outcome: 'refused' });
      return grant ?? { allowed: false, retryAt: now + BLIND_RETRY_MS };
    }
  }

  async #spend(period: Period, purpose: Purpose): Promise<Grant | Denial> {
    if (!this.#isKnown(period)) this.#learn(period, await this.#table.get(rowKey(period)));
    // A second time where the row turned out to be other than this container knew, a third time without a pocket.
    for (const mayBuy of [true, true, false]) {
      const pocket = mayBuy ? this.#pocketToBuy(period) : 0;
      const before = this.#spent;
      if (await this.#pay(period, purpose, 1 + pocket)) {
        if (pocket > 0) this.#pocket = { month: period.month, day: period.day, left: pocket };
        return this.#granted(period);
      }
      const isNews = this.#spent.month - this.#spent.today !== before.month - before.today;
      if (pocket === 0 && !isNews) break;
    }
    const isAllSpent = this.#spent.today >= limitOfToday(this.#budget, this.#spent, period);
    const paidAhead = isAllSpent && this.#fromPocket(period);
    if (paidAhead) return paidAhead;
    const retryAt = nextAllowance(this.#budget, this.#spent, period);
    this.#refused = { purpose, until: retryAt };
    this.#observe({ kind: 'spend', outcome: 'refused', ...this.#usagePart() });
    return { allowed: false, retryAt };
  }

  /** False where the month, the day or this moment does not allow for so many. */
  async #pay(period: Period, purpose: Purpose, count: number): Promise<boolean> {
    const monthRoom = this.#budget.monthly - count;
    const dayRoom = allowedByNow(this.#budget, this.#spent, period, purpose) - count;
    if (monthRoom < 0 || dayRoom < 0) return false;
    const [today, pockets] = [`#d${period.day}`, `#p${period.day}`];
    const { applied, row } = await this.#table.update(rowKey(period), {
      update: `SET #spent = if_not_exists(#spent, :zero) + :count, ${today} = if_not_exists(${today}, :zero) + :count,
        ${pockets} = if_not_exists(${pockets}, :zero) + :pocket, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: `(attribute_not_exists(#spent) OR #spent <= :monthRoom)
        AND (attribute_not_exists(${today}) OR ${today} <= :dayRoom)
        AND (attribute_not_exists(${pockets}) OR ${pockets} <= :pocketRoom)`,
      values: {
        ':zero': 0,
        ':count': count,
        ':pocket': count - 1,
        ':monthRoom': monthRoom,
        ':dayRoom': dayRoom,
        ':pocketRoom': count > 1 ? this.#pocketLimit(period) - (count - 1) : this.#budget.monthly,
        ':expiry': Math.ceil((period.dayStart + KEEP_DAYS * DAY_MS) / 1000),
      },
    });
    this.#learn(period, row);
    return applied;
  }

  #granted(period: Period): Grant {
    this.#hasSpent = true;
    this.#observe({ kind: 'spend', outcome: 'granted', ...this.#usagePart() });
    return { allowed: true, stretch: stretchOf(this.#budget, this.#spent, period) };
  }

  /**
   * How many to buy ahead with the next request. Only from a container's second request on, because many live for
   * no more than one, only while there is plenty, and only while others have bought few.
   */
  #pocketToBuy(period: Period): number {
    const { month, day, left } = this.#pocket;
    const hasToday = month === period.month && day === period.day && left > 0;
    const isCalm = stretchOf(this.#budget, this.#spent, period) === 1;
    const othersLeft = this.#pocketLimit(period) - (this.#known?.pockets ?? 0);
    return !this.#hasSpent || hasToday || !isCalm || othersLeft < POCKET_SIZE ? 0 : POCKET_SIZE;
  }

  #pocketLimit(period: Period): number {
    return Math.floor(limitOfToday(this.#budget, this.#spent, period) * POCKET_SHARE);
  }

  #fromPocket(period: Period): Grant | undefined {
    const { month, day, left } = this.#pocket;
    if (month !== period.month || day !== period.day || left === 0) return undefined;
    this.#pocket = { month, day, left: left - 1 };
    this.#observe({ kind: 'spend', outcome: 'pocket' });
    return { allowed: true, stretch: BLIND_STRETCH };
  }

  get #spent(): Spent {
    return this.#known?.spent ?? { month: 0, today: 0 };
  }

  #isKnown({ month, day }: Period): boolean {
    return this.#known?.period.month === month && this.#known.period.day === day;
  }

  #learn(period: Period, row: Row | undefined): void {
    const spent = { month: numberIn(row, 'spent') ?? 0, today: numberIn(row, `d${period.day}`) ?? 0 };
    this.#known = { period, spent, pockets: numberIn(row, `p${period.day}`) ?? 0 };
  }

  #usagePart(): { usage?: Usage } {
    const { usage } = this;
    return usage ? { usage } : {};
  }
}

function rowKey({ month }: Period): string {
  return `quota#${month}`;
}
