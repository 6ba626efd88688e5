import {
  allowedByNow,
  allows,
  type Budget,
  betweenDays,
  clientShare,
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
  #spent = { month: 0, today: 0, backfill: 0 };
  #hour = 0;
  /** Never more of them than the day's requests. */
  readonly #ofClients = new Map<string, number>();

  constructor(budget: Budget, now: () => number = Date.now) {
    this.#budget = budget;
    this.#now = now;
  }

  get usage(): Usage {
    return usageOf(this.#budget, this.#spent, periodOf(this.#now()));
  }

  known(): undefined {}

  async reserve(purpose: Purpose = 'answer', client?: string): Promise<Grant | Denial> {
    const now = this.#now();
    const resumesAt = betweenDays(now);
    if (resumesAt !== undefined) return { allowed: false, retryAt: resumesAt, of: 'service' };
    const period = periodOf(now);
    if (period.month !== this.#month) this.#spent = { month: 0, today: 0, backfill: 0 };
    else if (period.day !== this.#day) this.#spent = { ...this.#spent, today: 0, backfill: 0 };
    [this.#month, this.#day] = [period.month, period.day];
    const { month, today, backfill } = this.#spent;
    const allowed = allowedByNow(this.#budget, this.#spent, period, purpose);
    if (month >= this.#budget.monthly || !allows(allowed, this.#spent)) {
      const retryAt = nextAllowance(this.#budget, this.#spent, period, purpose);
      return { allowed: false, retryAt, of: 'service' };
    }
    const ofClient = client === undefined ? undefined : this.#takeShare(client, now);
    if (ofClient) return ofClient;
    this.#spent = {
      month: month + 1,
      today: today + 1,
      backfill: backfill + (purpose === 'backfill' ? 1 : 0),
    };
    return { allowed: true };
  }

  #takeShare(client: string, now: number): Denial | undefined {
    const { hour, endsAt, most } = clientShare(this.#budget, now);
    if (hour !== this.#hour) this.#ofClients.clear();
    this.#hour = hour;
    const spent = this.#ofClients.get(client) ?? 0;
    if (spent >= most) return { allowed: false, retryAt: endsAt, of: 'client' };
    this.#ofClients.set(client, spent + 1);
    return undefined;
  }
}
