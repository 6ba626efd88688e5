import { withTimeout } from './with-timeout.ts';

interface Options {
  /** Does not reject; ends early, without an effect, if the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** An older attempt was frozen with its container, and its connection cannot be trusted any more. */
  readonly abandonAfterMs: number;
  readonly now: () => number;
}

/**
 * Work that a request begins and does not have to wait for, one attempt at a time. A container is frozen between
 * events, so unfinished work goes on with the next one, or is begun anew.
 */
export class BackgroundTask {
  readonly #options: Options;
  #attempt:
    | { readonly startedAt: number; readonly abort: AbortController; readonly done: Promise<void> }
    | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Begins an attempt if the last one is abandoned, or if one is due and none runs. Returns whether it began. */
  begin(isDue: (now: number) => boolean): boolean {
    const { run, abandonAfterMs, now } = this.#options;
    const startedAt = now();
    const before = this.#attempt;
    if (before && Math.abs(startedAt - before.startedAt) <= abandonAfterMs) return false;
    if (!before && !isDue(startedAt)) return false;
    before?.abort.abort();
    const abort = new AbortController();
    const done = run(abort.signal).finally(() => {
      if (this.#attempt?.abort === abort) this.#attempt = undefined;
    });
    this.#attempt = { startedAt, abort, done };
    return true;
  }

  /** Waits for the running attempt, `ms` at most. */
  async wait(ms: number): Promise<void> {
    if (this.#attempt) await withTimeout(ms, this.#attempt.done);
  }
}
