/** Data that no store has is fetched once for all instances. */

import { tableOf } from '../../coordination/coordination.ts';
import { withLease } from '../../coordination/lease.ts';
import { isOutage } from '../../http/errors.ts';
import { oncePer } from '../../platform/caches.ts';
import type { Environment } from '../../platform/environment.ts';
import { count } from '../../platform/metrics.ts';
import { rowKey } from '../../platform/table.ts';
import { elapsedMs } from '../../platform/time.ts';
import { withTimeout } from '../../platform/waiting.ts';
import { PAID_WAIT_MS } from '../freshness.ts';

/** Wanted data of a coin, and how to fetch it. */
export interface Want<T> {
  /** `ticker`, or a base interval: equal wants of all instances cost one request. */
  readonly what: string;
  /** Looks for it in the store, where another instance may have put it. Throws a stored refusal. */
  find(): Promise<T | undefined>;
  /**
   * Fetches it from the provider and stores it, or a refusal of it; calls `beforePaying` before each request. Throws what it cannot
   * get, and a refusal that is known already.
   */
  fetch(beforePaying: () => void): Promise<T>;
}

/** A fetch that equal requests of this container share. */
export interface Loading<T> {
  readonly promise: Promise<T>;
  readonly startedAt: number;
  hasPaid: boolean;
  /** Milliseconds since the epoch. */
  failedAt?: number;
}

interface LoadOptions {
  readonly provider: { readonly name: string; readonly title: string };
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Whether the caller has older data: then a failure is remembered for a while. */
  readonly hasStandIn?: boolean | undefined;
}

/** After a failure, callers with older data use it for this long instead of fetching again. */
const FAILED_MS = 10_000;

class Demand {
  readonly #environment: Environment;
  readonly #loading = new Map<string, Loading<unknown>>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Starts a fetch, or joins the one that is running. A fetch older than its time-out was frozen with its container and is
   * started again.
   */
  load<T>(id: string, want: Want<T>, { provider, deadline, hasStandIn = false }: LoadOptions): Loading<T> {
    const key = `${want.what} ${id}`;
    const known = this.#loading.get(key) as Loading<T> | undefined; // one key is always one kind of data
    if (known && this.#isShared(known, hasStandIn)) {
      count('CacheShared');
      return known;
    }
    count('CacheMisses');
    const loading: { -readonly [K in keyof Loading<T>]: Loading<T>[K] } = {
      promise: Promise.reject(),
      startedAt: Date.now(),
      hasPaid: false,
    };
    loading.promise.catch(() => {});
    const table = tableOf(this.#environment);
    const lease = {
      table,
      key: rowKey(provider.name, 'lease', want.what, id),
      deadline,
      title: provider.title,
    };
    loading.promise = withLease(lease, want.find, (assertHeld) =>
      want.fetch(() => {
        assertHeld();
        loading.hasPaid = true;
      }),
    );
    const forget = () => {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    };
    loading.promise.then(forget, () => {
      loading.failedAt = Date.now();
      setTimeout(forget, FAILED_MS).unref();
    });
    this.#loading.set(key, loading);
    return loading;
  }

  #isShared({ startedAt, failedAt }: Loading<unknown>, hasStandIn: boolean): boolean {
    if (failedAt !== undefined) return hasStandIn && elapsedMs(failedAt) < FAILED_MS;
    return elapsedMs(startedAt) <= Number(this.#environment.UPSTREAM_TIMEOUT_MS);
  }
}

/** Waits for a fetch to end; with older data available, only for a moment. */
export async function patiently<T>(
  loading: Loading<T>,
  standIn: T | undefined,
  staleWaitMs: number,
): Promise<{ readonly value: T; readonly isStandIn: boolean }> {
  if (standIn === undefined) return { value: await loading.promise, isStandIn: false };
  try {
    const newer =
      (await withTimeout(staleWaitMs, loading.promise)) ??
      // A request that is paid for is worth waiting for a little longer.
      (loading.hasPaid ? await withTimeout(PAID_WAIT_MS - staleWaitMs, loading.promise) : undefined);
    return newer === undefined ? { value: standIn, isStandIn: true } : { value: newer, isStandIn: false };
  } catch (error) {
    if (!isOutage(error)) throw error;
    return { value: standIn, isStandIn: true };
  }
}

/** This container's fetches. */
export const demandOf = oncePer((environment: Environment) => new Demand(environment));
