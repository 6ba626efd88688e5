import { withTimeout } from './with-timeout.ts';

interface Options {
  /** Never rejects; ends early, without an effect, if the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** An older attempt was frozen with its container, and its connection is unreliable. */
  readonly abandonAfterMs: number;
  /** How long `run` takes at most. */
  readonly runMs: number;
  readonly now: () => number;
}

/**
 * Work that a request starts and waits for briefly, one attempt at a time. A container is frozen between events, so unfinished work
 * continues with the next event or is started again. The request that restarts it waits until it is done; otherwise, with requests
 * rarer than `abandonAfterMs`, no attempt would ever end.
 */
export class BackgroundTask {
  readonly #options: Options;
  #attempt:
    | {
        readonly startedAt: number;
        readonly isAnew: boolean;
        readonly abort: AbortController;
        readonly done: Promise<void>;
      }
    | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Starts an attempt if the last one is abandoned, or if one is due and none runs. Returns whether it started. */
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
    this.#attempt = { startedAt, isAnew: before !== undefined, abort, done };
    return true;
  }

  /** Waits for the running attempt: at most `ms`, or to its end if it replaced an abandoned one. */
  async wait(ms: number): Promise<void> {
    if (!this.#attempt) return;
    const { isAnew, done } = this.#attempt;
    await withTimeout(isAnew ? this.#options.runMs : ms, done);
  }
}
