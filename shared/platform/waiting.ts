/** Time limits, which tell a process that stood still from a server that is slow. */

/**
 * How a limit ran out: `whole`: there was all of its time; `frozen`: the process stood still meanwhile (a container between two
 * events, a suspended machine) or its thread was busy, so the other side may have answered in time.
 */
export type TimeOut = 'whole' | 'frozen';

/** Work did not end within its limit. */
export class TimedOut extends Error {
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
