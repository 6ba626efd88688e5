import { ApiFailure } from './failure.ts';

export interface RetryLimits {
  /**
   * All attempts, including the first.
   * @default 3
   */
  readonly tries?: number | undefined;
  /**
   * No attempt starts later than this many seconds after the first; a longer `Retry-After` is not awaited.
   * @default 90
   */
  readonly seconds?: number | undefined;
}

interface Attempts {
  readonly limits: RetryLimits;
  /** Whether repeating it is harmless. */
  readonly repeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The outcome of the first attempt that is not retried. A signal also ends the pauses. */
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

/** Seconds; undefined if a retry would not help, or might repeat an effect. */
function pauseAfter(error: unknown, tried: number, repeatable: boolean): number | undefined {
  if (!(error instanceof ApiFailure) || !maySucceedLater(error, repeatable)) return undefined;
  // Clients that failed together should not retry together, nor at once if the given date has passed.
  return Math.max(error.retryAfterSeconds ?? 0, 2 ** (tried - 2) * (1 + Math.random()));
}

/** A 429 rejects a request before it has any effect. */
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
