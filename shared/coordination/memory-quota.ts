import {
  allowedByNow,
  type Budget,
  nextAllowance,
  type Purpose,
  periodOf,
  type Usage,
  usageOf,
} from './budget.ts';
import type { Denial, Grant, UpstreamQuota } from './quota.ts';

/** The budget in this process alone, for runs without a table. Restarting forgets the counts. */
export class MemoryQuota implements UpstreamQuota {
  readonly #budget: Budget;
  readonly #now: () => number;
  #month = '';
  #day = 0;
  #spent = { month: 0, today: 0 };

  constructor(budget: Budget, now: () => number = Date.now) {
    this.#budget = budget;
    this.#now = now;
  }

  get usage(): Usage {
    return usageOf(this.#budget, this.#spent, periodOf(this.#now()));
  }

  known(): undefined {}

  async reserve(purpose: Purpose = 'answer'): Promise<Grant | Denial> {
    const period = periodOf(this.#now());
    if (period.month !== this.#month) this.#spent = { month: 0, today: 0 };
    else if (period.day !== this.#day) this.#spent = { ...this.#spent, today: 0 };
    [this.#month, this.#day] = [period.month, period.day];
    const { month, today } = this.#spent;
    if (month >= this.#budget.monthly || today >= allowedByNow(this.#budget, this.#spent, period, purpose)) {
      return { allowed: false, retryAt: nextAllowance(this.#budget, this.#spent, period) };
    }
    this.#spent = { month: month + 1, today: today + 1 };
    return { allowed: true };
  }
}
