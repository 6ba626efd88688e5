/** What a container keeps of a provider's answers and failures, and what a failure is worth to those who come later. */
import type { ErrorCodec } from '../coordination/answer-row.ts';
import { ApiError, isOutage, ShareUsedUp } from '../http/errors.ts';
import { ByteCache } from '../platform/byte-cache.ts';
import { count } from '../platform/metrics.ts';
import { withoutSecrets } from '../platform/redaction.ts';
import { withTimeout } from '../platform/with-timeout.ts';
import { lifetimes } from './lifetimes.ts';
import { DoubtedRefusal, GoneCoin, PlanRefusal, UnusableAnswer } from './provider.ts';
import type { Kept, KeptRequest, Loading } from './provider-client.ts';

interface Failure {
  readonly error: ApiError;
  readonly at: number;
  readonly forMs: number;
}

interface Pending<T> {
  readonly promise: Promise<Kept<T>>;
  readonly startedAt: number;
  waiting: number;
  /** True once nobody waited for it any more: its event is over, and its sockets may have died since. */
  orphaned: boolean;
  hasStarted: boolean;
}

/** Brings an answer. Calls `onRequestStarted` once a request is paid for. */
type Load<T> = (onRequestStarted: () => void) => Promise<Kept<T>>;

/** The year of 200 coins, or 10,000 tickers. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The container's answers, and the loads that equal requests share. The container is frozen between events: a load
 * that nobody waits for any more is finished by the next request or begun anew, and no answer depends on it.
 */
export class AnswerCache {
  readonly #loadTimeoutMs: number;
  readonly #entries: ByteCache<Kept<unknown>>;
  readonly #failures: ByteCache<Failure>;
  readonly #pending = new Map<string, Pending<unknown>>();

  /** A load older than `loadTimeoutMs` belongs to an event long gone: its sockets are dead or its answer is old. */
  constructor(loadTimeoutMs: number, maxBytes = MAX_BYTES) {
    this.#loadTimeoutMs = loadTimeoutMs;
    this.#entries = new ByteCache(maxBytes);
    this.#failures = new ByteCache(maxBytes / 16, ({ error }) => 500 + error.message.length);
  }

  /** The entry, fresh or not. */
  kept<T>(key: string): Kept<T> | undefined {
    return this.#entries.get(key) as Kept<T> | undefined; // one key is always one kind of data
  }

  /** The last failure, if no answer came since and asking now would only repeat it. */
  failure(key: string): ApiError | undefined {
    const failure = this.#failures.get(key);
    const age = failure ? Date.now() - failure.at : 0;
    return failure && age >= 0 && age < failure.forMs ? failure.error : undefined;
  }

  /** The last failure, in force or not. */
  lastFailure(key: string): ApiError | undefined {
    return this.#failures.get(key)?.error;
  }

  keep(key: string, entry: Kept<unknown>): void {
    this.#failures.delete(key);
    this.#entries.set(key, entry);
  }

  /** Begins a load, or joins the one that has begun. */
  load<T>(key: string, load: Load<T>): Loading<T> {
    const inFlight = this.#inFlight<T>(key);
    count(inFlight ? 'CacheShared' : 'CacheMisses');
    let pending = inFlight ?? this.#begin(key, load);
    const mayBeDead = pending.orphaned;
    const again = () => this.#inFlight<T>(key) ?? this.#begin(key, load);
    async function wait(): Promise<Kept<T>>;
    async function wait(ms: number): Promise<Kept<T> | undefined>;
    async function wait(ms?: number): Promise<Kept<T> | undefined> {
      try {
        return await waitFor(pending, ms);
      } catch (error) {
        // The one that it joined was frozen with its container, or asked at the expense of a client who may not.
        const isTheirs = mayBeDead || error instanceof ShareUsedUp;
        if (!isTheirs || pending !== inFlight) throw error;
        pending = again();
        return waitFor(pending, ms);
      }
    }
    return {
      wait,
      get hasStarted() {
        return pending.hasStarted;
      },
    };
  }

  #inFlight<T>(key: string): Pending<T> | undefined {
    const pending = this.#pending.get(key);
    const age = pending ? Date.now() - pending.startedAt : 0;
    return age >= 0 && age <= this.#loadTimeoutMs ? (pending as Pending<T> | undefined) : undefined;
  }

  #begin<T>(key: string, load: Load<T>): Pending<T> {
    const startedAt = Date.now();
    const finish = () => {
      const isCurrent = this.#pending.get(key) === pending;
      if (isCurrent) this.#pending.delete(key);
      return isCurrent;
    };
    const onRequestStarted = () => {
      pending.hasStarted = true;
    };
    const promise = load(onRequestStarted).then(
      (loaded) => {
        if (finish()) this.keep(key, { ...loaded, storedAt: startedAt });
        return loaded;
      },
      (error: unknown) => {
        finish();
        this.#noteFailure(key, error, pending);
        throw error;
      },
    );
    promise.catch(() => {}); // its waiters may all have gone
    const pending: Pending<T> = { promise, startedAt, waiting: 0, orphaned: false, hasStarted: false };
    this.#pending.set(key, pending);
    return pending;
  }

  #noteFailure(key: string, error: unknown, { waiting, startedAt }: Pending<unknown>): void {
    if (!(error instanceof ApiError) || error instanceof ShareUsedUp) return;
    const now = Date.now();
    if (error.statusCode === 404) {
      const forMs = error instanceof GoneCoin ? lifetimes.inactiveMs : lifetimes.unknownCoinMs;
      this.#failures.set(key, { error, at: startedAt, forMs });
    } else if (error instanceof DoubtedRefusal) {
      this.#failures.set(key, { error, at: error.at, forMs: lifetimes.doubtMs });
    } else if (isOutage(error) && this.#entries.has(key) && waiting > 0) {
      // A load that nobody waits for may have failed because its container was frozen.
      const forMs = error instanceof UnusableAnswer ? lifetimes.unusableMs : lifetimes.failureMs;
      this.#failures.set(key, { error, at: now, forMs });
    }
  }
}

/** Undefined when `ms` run out first. */
async function waitFor<T>(pending: Pending<T>, ms?: number): Promise<Kept<T> | undefined> {
  pending.waiting += 1;
  try {
    return await (ms === undefined ? pending.promise : withTimeout(ms, pending.promise));
  } finally {
    pending.waiting -= 1;
    pending.orphaned ||= pending.waiting === 0;
  }
}

/**
 * The error that a failure to ask is told as. `held` is the last good answer, `before` the failure of the one who asked
 * last.
 */
export function weighed<T>(
  error: unknown,
  { isActive, wasGiven }: KeptRequest<T>,
  held: Kept<T> | undefined,
  before: Error | undefined,
  title: string,
): unknown {
  if (!(error instanceof ApiError)) return error;
  const isUnknown = error.statusCode === 404;
  if (isActive === false && isUnknown) return new GoneCoin(404, error.message);
  if (!held || !isActive) return error;
  // A plan may refuse more than was given before without taking anything back.
  const isReversal = error instanceof PlanRefusal ? (wasGiven?.(held.data) ?? true) : isUnknown;
  return isReversal ? doubted(error, before, title) : error;
}

/**
 * A refusal of what the registry lists and the provider gave before, as long as it has been given only once: the same
 * a minute later is believed.
 */
function doubted(error: ApiError, before: Error | undefined, title: string): ApiError {
  const now = Date.now();
  const doubtedAt = before instanceof DoubtedRefusal ? before.at : Number.NEGATIVE_INFINITY;
  const age = now - doubtedAt;
  if (age >= lifetimes.doubtMs && age < lifetimes.doubtedForMs) return error;
  const at = age < lifetimes.doubtMs ? doubtedAt : now;
  return new DoubtedRefusal(`${title} refuses what it gave before (${error.message}): to be confirmed`, at);
}

interface Written {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  /** The plan's reach into the past, in ms: it moves on with the clock. */
  readonly plan?: { readonly reachMs?: number };
  readonly doubtedAt?: number;
  readonly isUnusable?: true;
}

/** For the errors of a provider that other instances would be told as well. */
export const errorCodec: ErrorCodec = {
  /** An unknown coin, a refusal or an outage, without secrets; undefined for what is this instance's, or one client's, own affair. */
  write(error) {
    if (!(error instanceof ApiError) || error instanceof ShareUsedUp) return undefined;
    const { statusCode: status, headers } = error;
    const message = withoutSecrets(error.message);
    if (status !== 404 && !error.isLasting && !isOutage(error)) return undefined;
    return JSON.stringify({ status, message, headers, ...kindOf(error) } satisfies Written);
  },

  read(text) {
    const { status, message, headers, plan, doubtedAt, isUnusable } = JSON.parse(text) as Written; // written above
    if (plan) {
      const since = plan.reachMs === undefined ? undefined : Date.now() - plan.reachMs;
      return new PlanRefusal(message, { since });
    }
    if (doubtedAt !== undefined) return new DoubtedRefusal(message, doubtedAt);
    return isUnusable ? new UnusableAnswer(message) : new ApiError(status, message, { headers });
  },
};

function kindOf(error: ApiError): Partial<Written> {
  if (error instanceof DoubtedRefusal) return { doubtedAt: error.at };
  if (error instanceof UnusableAnswer) return { isUnusable: true };
  if (!(error instanceof PlanRefusal)) return {};
  const { since } = error;
  return { plan: since === undefined ? {} : { reachMs: Date.now() - since } };
}
