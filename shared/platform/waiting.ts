/** Waiting for work: time limits, which tell a process that stood still from a server that is slow, and limits of concurrency. */
import { type Environment, environment } from './environment.ts';

/**
 * How a limit ran out: `whole`: there was all of its time; `frozen`: the process stood still meanwhile (a container between two
 * events, a suspended machine) or its thread was busy, so the other side may have answered in time.
 */
export type TimeOut = 'whole' | 'frozen';

/** Work did not end within its limit. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
  readonly timeOut: TimeOut;

  constructor(timeOut: TimeOut, limitMs: number) {
    super(`no result within ${inSeconds(limitMs)}`);
    this.timeOut = timeOut;
  }
}

/** The time-out that an error reports; undefined for any other failure. */
export function timeOutOf(error: unknown): TimeOut | undefined {
  const { timeOut } = error instanceof Error ? (error as { timeOut?: TimeOut }) : {}; // our own errors have it
  return timeOut;
}

/** For messages: tenths of a second, rounded up. */
export function inSeconds(ms: number): string {
  return `${Math.ceil(ms / 100) / 10} s`;
}

/** A timer that fires later than this after its time stood still with its process. */
const LATE_MS = 50;

/**
 * Milliseconds of a clock that nobody sets. Not `performance.now`, whose first use loads a module in 2 ms, and a cold start has no
 * other use for it.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Whether work that began then should have run into its limit by now, as only work that stood still has not. */
export function isOverdue(startedAt: number, limitMs: number): boolean {
  return monotonicMs() - startedAt > limitMs + LATE_MS;
}

/**
 * Calls back when `ms` have passed, after everything that has arrived by then was read: an answer that waited for a busy thread is
 * not late. Returns what cancels it.
 */
export function startTimer(ms: number, onTimeOut: (timeOut: TimeOut) => void): () => void {
  const startedAt = monotonicMs();
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    const timeOut = isOverdue(startedAt, ms) ? 'frozen' : 'whole';
    turn = setImmediate(onTimeOut, timeOut);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/**
 * The result of work with a time limit; its signal is aborted when the time runs out, or with `abort`. Throws TimedOut even if the
 * work does not stop then.
 */
export async function withinLimit<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  abort = new AbortController(),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = startTimer(ms, (timeOut) => {
    reject(new TimedOut(timeOut, ms));
    abort.abort();
  });
  try {
    return await Promise.race([work(abort.signal), late]);
  } finally {
    cancel();
  }
}

/** The promise's outcome, or that of `late` when `ms` run out first; undefined by default. */
export function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | undefined>;
export function withTimeout<T, L>(ms: number, promise: Promise<T>, late: () => L): Promise<T | L>;
export async function withTimeout(
  ms: number,
  promise: Promise<unknown>,
  late = (): unknown => undefined,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms));
  });
  try {
    return await Promise.race([promise, timeUp.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs the work of each item, a limited number at once, and returns the results in the items' order. Throws the first failure,
 * after which no more work starts.
 */
export async function atMost<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  let hasFailed = false;
  async function worker(): Promise<void> {
    for (const [index, item] of left) {
      if (hasFailed) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/**
 * A first request that finds the same work unfinished waits 200 ms more for it: together that is no more than the
 * second that it would have waited by itself.
 */
const WAIT_MS = 800;

type Work = (environment: Environment) => Promise<unknown>;

/**
 * Does work before the first request, while Lambda gives a function a whole core: a handshake with S3 takes 20 ms then, and 140 on
 * the share of 256 MB. Waits for it within bounds. The request that needs it repeats what fails and reports it: an init that fails
 * would cost every caller an error.
 *
 * @example
 * await atInit(currentSnapshot);
 */
export async function atInit(...work: Work[]): Promise<void> {
  const { SNAPSHOT_BUCKET, HISTORY_BUCKET, SHARED_TABLE } = process.env;
  if (SNAPSHOT_BUCKET || HISTORY_BUCKET || SHARED_TABLE) await beforeRequests(work);
}

/** The same for work without a store. */
export async function beforeRequests(work: readonly Work[]): Promise<void> {
  if (work.length === 0) return;
  try {
    const settings = environment();
    await withTimeout(WAIT_MS, Promise.allSettled(work.map((begin) => begin(settings))));
  } catch {
    // The environment is not usable; the pipeline reports it to every caller.
  }
}
