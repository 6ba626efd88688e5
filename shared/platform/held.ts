/** What a container reads from elsewhere and keeps: the one place that holds values and refreshes them. */
import { isOverdue, monotonicMs, timeOutOf, withinLimit, withTimeout } from './waiting.ts';

interface Options<T> {
  /** The time limit of one attempt to read a value. */
  readonly readMs: number;
  /** Where the values are kept; without one, there is no limit. */
  readonly cache?: Cache<T>;
  /** Whether the older value may be used after this failure; by default after any. */
  readonly mayStay?: (error: unknown) => boolean;
  /** Whether a failure rests although there is no older value; by default only a time-out does. */
  readonly rests?: (error: unknown) => boolean;
  /** Called once for each failed attempt; not for one that was frozen. */
  readonly onFailure?: (error: unknown) => void;
  readonly now?: () => number;
}

/** How to read a value, and how long it stays valid. */
interface Source<T> {
  /** `held` is the older value, if there is one. */
  read(signal: AbortSignal, held: T | undefined): Promise<T>;
  /** Until when no newer one is read, in milliseconds since the epoch. */
  untilOf(value: T, now: number): number;
  /** With an older value, a request waits at most this long for a newer one; by default, until it is read. */
  readonly waitMs?: number | undefined;
}

/** A value, or why there is none. */
type Result<T> = { readonly value: T } | { readonly value: undefined; readonly error: unknown };

/** Times in milliseconds since the epoch. */
export type Entry<T> = Result<T> & { readonly until: number; readonly readAt: number };

/** A `Map`, or a `ByteCache`. */
interface Cache<T> {
  get(key: string): Entry<T> | undefined;
  set(key: string, entry: Entry<T>): unknown;
  delete(key: string): unknown;
}

interface Attempt<T> {
  readonly startedAt: number;
  readonly abort: AbortController;
  /** Whether it replaces one that was frozen. */
  readonly isAnew: boolean;
  /** Whether it has ended late, and another one has to replace it. */
  wasFrozen: boolean;
  readonly outcome: Promise<T>;
}

/** How long nothing is read after a failure. */
export const REST_MS = 10_000;

/** The attempt stood still and says nothing about the store: another one replaces it. */
class Frozen extends Error {}

/**
 * The values that a container has read, by key, each until a newer one may exist. Concurrent requests share one attempt, which ends
 * within `readMs`. After a failure the older value stays for ten seconds, if it may; then the next request tries again.
 *
 * Lambda freezes a container between events, and after the thaw an attempt's timers fire before its response is read. So an attempt
 * that ends later than its limit is no failure: the next request begins it anew and waits for it up to `readMs`, beyond its own
 * `waitMs`. With requests rarer than a download is long, none would be completed otherwise.
 */
export class Held<T> {
  readonly #options: Options<T>;
  readonly #now: () => number;
  readonly #entries: Cache<T>;
  readonly #attempts = new Map<string, Attempt<T>>();

  constructor(options: Options<T>) {
    this.#options = options;
    this.#now = options.now ?? (() => Date.now());
    this.#entries = options.cache ?? new Map();
  }

  /** The held value, or a new one. Throws what reading throws if there is neither. */
  async get(key: string, source: Source<T>): Promise<T> {
    for (;;) {
      const entry = this.#entries.get(key);
      const now = this.#now();
      // A clock that was set back must not keep a value for longer.
      if (entry && now < entry.until && now >= entry.readAt) {
        if ('error' in entry) throw entry.error;
        return entry.value;
      }
      const { isAnew, outcome } = this.#attempt(key, source, entry);
      const waitMs = isAnew ? this.#options.readMs : source.waitMs;
      try {
        if (!hasValue(entry) || waitMs === undefined) return await outcome;
        return await withTimeout(waitMs, outcome, () => entry.value);
      } catch (error) {
        if (!(error instanceof Frozen)) throw error;
      }
    }
  }

  /** The value that is held, however old. */
  peek(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Takes a value that is known from elsewhere and may be outdated: the next request looks for a newer one. */
  put(key: string, value: T): void {
    this.#entries.set(key, { value, until: Number.NEGATIVE_INFINITY, readAt: this.#now() });
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** The running attempt, or a new one. */
  #attempt(key: string, source: Source<T>, entry: Entry<T> | undefined): Attempt<T> {
    const before = this.#attempts.get(key);
    if (before && !before.wasFrozen && !isOverdue(before.startedAt, this.#options.readMs)) return before;
    const isAnew = before !== undefined;
    const begun = { startedAt: monotonicMs(), abort: new AbortController(), isAnew, wasFrozen: false };
    const attempt = Object.assign(begun, { outcome: this.#read(key, source, entry, begun) });
    attempt.outcome.catch(() => {}); // requests that wait for it get the error
    this.#attempts.set(key, attempt);
    before?.abort.abort();
    return attempt;
  }

  async #read(
    key: string,
    source: Source<T>,
    entry: Entry<T> | undefined,
    attempt: Omit<Attempt<T>, 'outcome'>,
  ): Promise<T> {
    const { readMs, mayStay = () => true, rests = timeOutOf, onFailure } = this.#options;
    // A late result of an attempt that was replaced is dropped.
    const isCurrent = () => this.#attempts.get(key) === attempt;
    const keep = (result: Result<T>, untilOf: (now: number) => number) => {
      const readAt = this.#now();
      if (isCurrent()) this.#entries.set(key, { ...result, until: untilOf(readAt), readAt });
    };
    const rested = (now: number) => now + REST_MS;
    try {
      const value = await withinLimit(readMs, (signal) => source.read(signal, entry?.value), attempt.abort);
      keep({ value }, (now) => source.untilOf(value, now));
      return value;
    } catch (error) {
      if (!isCurrent()) throw new Frozen();
      // A request waits for an attempt that is begun anew, so nothing freezes it again.
      const isLate = timeOutOf(error) === 'frozen' || isOverdue(attempt.startedAt, readMs);
      attempt.wasFrozen = isLate && !attempt.isAnew;
      if (attempt.wasFrozen) throw new Frozen();
      onFailure?.(error);
      if (hasValue(entry) && mayStay(error)) {
        keep({ value: entry.value }, rested);
        return entry.value;
      }
      if (rests(error)) keep({ value: undefined, error }, rested);
      else this.#entries.delete(key);
      throw error;
    } finally {
      if (isCurrent() && !attempt.wasFrozen) this.#attempts.delete(key);
    }
  }
}

function hasValue<T>(entry: Entry<T> | undefined): entry is Entry<T> & { readonly value: T } {
  return entry !== undefined && !('error' in entry);
}
