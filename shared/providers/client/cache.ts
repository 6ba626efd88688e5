import { ShareUsedUp } from '../../coordination/quota.ts';
import { ApiError, isOutage } from '../../http/errors.ts';
import { lifetimes } from '../../marketdata/lifetimes.ts';
import { DoubtedRefusal, GoneCoin, UnusableAnswer } from '../../marketdata/provider.ts';
import type { Kept, Loading } from '../../marketdata/provider-client.ts';
import { putBounded } from '../../platform/bounded-map.ts';
import { count } from '../../platform/metrics.ts';
import { withTimeout } from '../../platform/with-timeout.ts';

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

const MAX_ENTRIES = 500;

/**
 * The container's answers, and the loads that equal requests share. The container is frozen between events: a load
 * that nobody waits for any more is finished by the next request or begun anew, and no answer depends on it.
 */
export class AnswerCache {
  readonly #loadTimeoutMs: number;
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Kept<unknown>>();
  readonly #failures = new Map<
    string,
    { readonly error: ApiError; readonly at: number; readonly forMs: number }
  >();
  readonly #pending = new Map<string, Pending<unknown>>();

  /** A load older than `loadTimeoutMs` belongs to an event long gone: its sockets are dead or its answer is old. */
  constructor(loadTimeoutMs: number, maxEntries = MAX_ENTRIES) {
    this.#loadTimeoutMs = loadTimeoutMs;
    this.#maxEntries = maxEntries;
  }

  /** The entry, fresh or not. */
  kept<T>(key: string): Kept<T> | undefined {
    const entry = this.#entries.get(key) as Kept<T> | undefined; // one key is always one kind of data
    if (entry) putBounded(this.#entries, key, entry, this.#maxEntries);
    return entry;
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
    putBounded(this.#entries, key, entry, this.#maxEntries);
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
      this.#note(key, { error, at: startedAt, forMs });
    } else if (error instanceof DoubtedRefusal) {
      this.#note(key, { error, at: error.at, forMs: lifetimes.doubtMs });
    } else if (isOutage(error) && this.#entries.has(key) && waiting > 0) {
      // A load that nobody waits for may have failed because its container was frozen.
      const forMs = error instanceof UnusableAnswer ? lifetimes.unusableMs : lifetimes.failureMs;
      this.#note(key, { error, at: now, forMs });
    }
  }

  #note(key: string, failure: { error: ApiError; at: number; forMs: number }): void {
    putBounded(this.#failures, key, failure, this.#maxEntries);
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
