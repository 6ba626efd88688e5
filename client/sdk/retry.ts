import { ApiFailure } from './failure.ts';

export interface RetryLimits {
  /**
   * All tries, the first one included.
   * @default 3
   */
  readonly tries?: number | undefined;
  /**
   * No try begins later than this many seconds after the first one; a longer `Retry-After` is not waited for.
   * @default 90
   */
  readonly seconds?: number | undefined;
}

interface Attempts {
  readonly limits: RetryLimits;
  /** Whether doing it twice does no harm. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The outcome of the first try that is worth no other. A signal ends the pauses too. */
export async function withRetries<T>(attempt: () => Promise<T>, options: Attempts): Promise<T> {
  const { limits, repeatable, signal } = options;
  const { tries = 3, seconds = 90 } = limits;
  const start = performance.now();
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      const pause = pauseAfter(error, tried, repeatable);
      const elapsed = (performance.now() - start) / 1000;
      if (tried >= tries || pause === undefined || elapsed + pause > seconds) throw error;
      await sleep(pause * 1000, signal);
    }
  }
}

/** Seconds; undefined if another try would not help, or might do a thing twice. */
function pauseAfter(error: unknown, tried: number, repeatable: boolean): number | undefined {
  if (!(error instanceof ApiFailure) || !maySucceedLater(error, repeatable)) return undefined;
  // Callers that failed together should not come back together, nor at once if told a date that has passed.
  return Math.max(error.retryAfterSeconds ?? 0, 2 ** (tried - 2) * (1 + Math.random()));
}

/** A 429 refuses before anything is done. */
function maySucceedLater({ status }: ApiFailure, repeatable: boolean): boolean {
  if (status === 429) return true;
  return repeatable && (status === undefined || status === 503 || status === 504);
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
