/** The upstream budget: how many of a month's requests are spent, by all instances or by this process. */
import { ApiError, ShareUsedUp } from '../http/errors.ts';
import { putBounded } from '../platform/caches.ts';
import { count, recordValue } from '../platform/metrics.ts';
import {
  type Change,
  type Condition,
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type SharedTable,
  TableUnavailable,
  unlessAvailable,
} from '../platform/table.ts';
import { DAY_MS, elapsedMs, MINUTE_MS } from '../platform/time.ts';
import {
  type Allowance,
  allowedByNow,
  allows,
  betweenDays,
  clientShare,
  limitOfToday,
  NOTHING,
  nextAllowance,
  type Period,
  type Plan,
  type Purpose,
  periodOf,
  type Spent,
  spentByOthers,
} from './allowance.ts';

/** Permission for one request; or when to retry (milliseconds since the epoch), and whose limit it is. */
export type Grant = { readonly allowed: true };
export type Denial = { readonly allowed: false; readonly retryAt: number; readonly of: 'service' | 'client' };

/** Each request, retries included, is reserved before it is sent. */
export interface UpstreamBudget {
  /** Never throws. A crash after it wastes a request and adds none. */
  reserve(purpose?: Purpose, client?: string): Promise<Grant | Denial>;
  /**
   * Lowers the rest of the month to the provider's count, or raises it again if it was too low: others may use the same key.
   * Absent where nothing is shared.
   */
  reconcile?(left: number): Promise<void>;
}

/** While the table does not respond nothing is spent, because other instances may be spending. */
const BLIND_RETRY_MS = 60_000;
const KEEP_DAYS = 60;
/**
 * A denial is repeated without the table for this long, so that refused calls cost no table requests. After that the table has its
 * say again, because the budget may have been raised.
 */
const REPEATED_MS = MINUTE_MS;
/** The denials that are remembered here; the table repeats the others. */
const MAX_DENIALS = 1_000;

/** The 429 of a denial. */
export function denied({ retryAt, of }: Denial): ApiError {
  const seconds = (retryAt - Date.now()) / 1000;
  if (of === 'service') return ApiError.rateLimited("the service's upstream budget", seconds);
  const whose = "this client's share of the service's upstream budget for this hour";
  const { message, headers } = ApiError.rateLimited(whose, seconds);
  return new ShareUsedUp(429, message, { headers });
}

interface Options {
  readonly table: SharedTable;
  readonly provider: string;
  readonly plan: Plan;
  readonly now?: () => number;
}

/**
 * The budget of all instances: one row a month, with a counter for the month (`spent`), and for each day one of all
 * requests (`d21`) and one of the demand purse (`e21`), raised together by one conditional write. No number of instances
 * can spend more than the budget, whatever dies when. The month's counter includes those `elsewhere`, by others with the
 * same key.
 */
export class TableBudget implements UpstreamBudget {
  readonly #options: Required<Options>;
  #known: { readonly period: Period; readonly spent: Spent; readonly elsewhere: number } | undefined;
  /** The last denials of a purpose or a client, and when they were given. */
  readonly #denials = new Map<string, { readonly denial: Denial; readonly at: number }>();

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
  }

  /** The counts as last read by this container, and today's limit; undefined before that. */
  get usage() {
    if (!this.#known) return undefined;
    const { spent, period } = this.#known;
    const { month, today } = spent;
    return { month, today, todayLimit: limitOfToday(this.#options.plan, spent, period) };
  }

  async reserve(purpose: Purpose = 'demand', client?: string): Promise<Grant | Denial> {
    const now = this.#options.now();
    for (const key of [purpose, clientKey(client)]) {
      const known = this.#denials.get(key);
      if (known && now < known.denial.retryAt && elapsedMs(known.at, now) < REPEATED_MS) return known.denial;
    }
    const resumesAt = betweenDays(now);
    if (resumesAt !== undefined) return { allowed: false, retryAt: resumesAt, of: 'service' };
    const period = periodOf(now);
    try {
      // Before the client is charged: what this container knew may be outdated, and a refusal must cost nobody anything.
      this.#learn(period, await this.#options.table.get(this.#rowKey(period)));
      if (!this.#allowed(period, purpose)) return this.#refuse(period, purpose);
      const ofClient = client === undefined ? undefined : await this.#takeShare(client, now);
      if (ofClient) return ofClient;
      // Once more by the counts in the row, because the day's limit depends on them.
      const isTaken = (await this.#raise(period, purpose)) || (await this.#raise(period, purpose));
      if (!isTaken) return this.#refuse(period, purpose);
      this.#recordUsage();
      return { allowed: true };
    } catch (error) {
      if (!(error instanceof TableUnavailable)) throw error;
      count('QuotaRefused');
      return { allowed: false, retryAt: now + BLIND_RETRY_MS, of: 'service' };
    }
  }

  async reconcile(left: number): Promise<void> {
    if (!this.#known) return;
    const { table, plan } = this.#options;
    const { period, spent, elsewhere: before } = this.#known;
    const elsewhere = spentByOthers(plan, spent.month - before, left, period);
    if (elsewhere === before) return;
    const change: Change = {
      add: { spent: elsewhere - before },
      set: { elsewhere },
      // A write repeated on a new connection adds nothing.
      when: { any: [{ absent: 'elsewhere' }, ['elsewhere', '=', before]] },
    };
    const updated = await table.update(this.#rowKey(period), change).catch(unlessAvailable);
    if (!updated) return;
    this.#learn(period, updated.row);
    this.#recordUsage();
  }

  #refuse(period: Period, purpose: Purpose): Denial {
    count('QuotaRefused');
    this.#recordUsage();
    const retryAt = nextAllowance(this.#options.plan, this.#spent, period, purpose);
    return this.#deny(purpose, { allowed: false, retryAt, of: 'service' });
  }

  #deny(key: string, denial: Denial): Denial {
    putBounded(this.#denials, key, { denial, at: this.#options.now() }, MAX_DENIALS);
    return denial;
  }

  /**
   * Undefined once the client is charged for the request, in a row for each client and hour. If another instance takes the last
   * of the budget meanwhile, the client has paid for nothing: that is rare, and costs one of at least ten an hour.
   */
  async #takeShare(client: string, now: number): Promise<Denial | undefined> {
    const { table, plan, provider } = this.#options;
    const { hour, endsAt, most } = clientShare(plan, now);
    const { applied } = await table.update(rowKey(provider, 'share', hour, client), {
      add: { spent: 1 },
      set: { [EXPIRY_ATTRIBUTE]: expiryAt(endsAt) },
      when: below('spent', most),
    });
    if (applied) return undefined;
    count('ClientShareRefused');
    return this.#deny(clientKey(client), { allowed: false, retryAt: endsAt, of: 'client' });
  }

  /** What the known counts allow; undefined if that is no further request. */
  #allowed(period: Period, purpose: Purpose): Allowance | undefined {
    const { plan } = this.#options;
    const spent = this.#spent;
    const allowance = allowedByNow(plan, spent, period, purpose);
    return allows(plan, spent, allowance) ? allowance : undefined;
  }

  /**
   * False if the known counts or those in the row do not allow it. A write that is repeated on a new connection may count a
   * request twice: that wastes one and never spends more than the budget.
   */
  async #raise(period: Period, purpose: Purpose): Promise<boolean> {
    const allowed = this.#allowed(period, purpose);
    if (!allowed) return false;
    const { plan, table } = this.#options;
    const { total, demand } = allowed;
    const today = `d${period.day}`;
    const ofDemand = `e${period.day}`;
    const isDemand = Number.isFinite(demand);
    const { applied, row } = await table.update(this.#rowKey(period), {
      add: { spent: 1, [today]: 1, ...(isDemand && { [ofDemand]: 1 }) },
      set: { [EXPIRY_ATTRIBUTE]: expiryAt(period.dayStart + KEEP_DAYS * DAY_MS) },
      when: {
        all: [
          below('spent', plan.monthly),
          below(today, total),
          ...(isDemand ? [below(ofDemand, demand)] : []),
        ],
      },
    });
    this.#learn(period, row);
    return applied;
  }

  get #spent(): Spent {
    return this.#known?.spent ?? NOTHING;
  }

  #learn(period: Period, row: Row | undefined): void {
    const spent = {
      month: numberIn(row, 'spent') ?? 0,
      today: numberIn(row, `d${period.day}`) ?? 0,
      demand: numberIn(row, `e${period.day}`) ?? 0,
    };
    this.#known = { period, spent, elsewhere: numberIn(row, 'elsewhere') ?? 0 };
  }

  #recordUsage(): void {
    const { usage } = this;
    if (!usage) return;
    recordValue('QuotaUsedDay', usage.today);
    recordValue('QuotaUsedMonth', usage.month);
  }

  #rowKey({ month }: Period): string {
    return rowKey(this.#options.provider, 'quota', month);
  }
}

function below(attribute: string, limit: number): Condition {
  return { any: [{ absent: attribute }, [attribute, '<', limit]] };
}

/** No purpose has such a key. */
const clientKey = (client = ''): string => `client ${client}`;

/** The budget of this process, for runs without a table. A restart resets the counts. */
export class MemoryBudget implements UpstreamBudget {
  readonly #plan: Plan;
  readonly #now: () => number;
  #period = periodOf(0);
  #spent = NOTHING;
  #hour = 0;
  readonly #ofClients = new Map<string, number>();

  constructor(plan: Plan, now: () => number = Date.now) {
    this.#plan = plan;
    this.#now = now;
  }

  async reserve(purpose: Purpose = 'demand', client?: string): Promise<Grant | Denial> {
    const now = this.#now();
    const resumesAt = betweenDays(now);
    if (resumesAt !== undefined) return { allowed: false, retryAt: resumesAt, of: 'service' };
    const period = periodOf(now);
    if (period.month !== this.#period.month) this.#spent = NOTHING;
    else if (period.day !== this.#period.day) this.#spent = { ...this.#spent, today: 0, demand: 0 };
    this.#period = period;
    const { month, today, demand } = this.#spent;
    if (!allows(this.#plan, this.#spent, allowedByNow(this.#plan, this.#spent, period, purpose))) {
      const retryAt = nextAllowance(this.#plan, this.#spent, period, purpose);
      return { allowed: false, retryAt, of: 'service' };
    }
    if (client !== undefined) {
      const { hour, endsAt, most } = clientShare(this.#plan, now);
      if (hour !== this.#hour) this.#ofClients.clear();
      this.#hour = hour;
      const spent = this.#ofClients.get(client) ?? 0;
      if (spent >= most) return { allowed: false, retryAt: endsAt, of: 'client' };
      this.#ofClients.set(client, spent + 1);
    }
    this.#spent = {
      month: month + 1,
      today: today + 1,
      demand: demand + (purpose === 'scheduled' ? 0 : 1),
    };
    return { allowed: true };
  }
}
