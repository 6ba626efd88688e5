import { ApiError } from '../../../shared/http/errors.ts';
import { UnusableAnswer } from '../../../shared/marketdata/provider.ts';

interface LaneOptions {
  /** Sources are paced: more concurrent requests would only wait for each other until they time out. */
  readonly atATime: number;
  /** The time for one response, with its turn and its retry. No request starts with less time left. */
  readonly answerMs: number;
  /** Whether three unusable responses in a row also stop the source, because every request costs money. */
  readonly isPaid?: boolean;
}

const FAILURES_IN_A_ROW = 3;
const TIME_IS_OVER = 'the time is over';

/**
 * One source in one run of a job. It serves a fixed number of requests at a time, and none after a 429 or three consecutive
 * failures, so that an outage costs a run only seconds. An unusable response and a 404 concern one item and not the source.
 * Deadlines are in milliseconds since the epoch.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #failuresInARow = 0;
  #failure: ApiError | undefined;
  #stopped: string | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#free = options.atATime;
  }

  /** Why the source gets no more requests; undefined while it does. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** The last failure of any request. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  /**
   * Makes a request when its turn comes, with its deadline. Throws the request's errors, and ApiError if it is not made: 502 if
   * the source gets no more requests, 504 if there is too little time left.
   */
  async fetch<T>(request: (deadline: number) => Promise<T>, deadline: number): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      if (this.#stopped !== undefined) throw new ApiError(502, this.#stopped);
      if (!this.#hasTime(deadline)) throw new ApiError(504, TIME_IS_OVER);
      return await this.#make(request);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  /**
   * Processes items, as many at a time as requests, until the source stops or the time is over. Returns why items are left;
   * undefined if all are done. An ApiError ends only its item; any other error ends the lane and is thrown once no work is in
   * progress.
   */
  async each<T>(
    items: readonly T[],
    deadline: number,
    work: (item: T) => Promise<void>,
  ): Promise<string | undefined> {
    const left = items.values();
    let unfinished: string | undefined;
    const worker = async () => {
      for (const item of left) {
        unfinished = this.#stopped ?? (this.#hasTime(deadline) ? undefined : TIME_IS_OVER);
        if (unfinished !== undefined) return;
        try {
          await work(item);
        } catch (error) {
          if (error instanceof ApiError) continue;
          this.#stopped ??= String(error);
          throw error;
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: this.#options.atATime }, worker));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return this.#stopped ?? unfinished;
  }

  #hasTime(deadline: number): boolean {
    return Date.now() + this.#options.answerMs <= deadline;
  }

  async #make<T>(request: (deadline: number) => Promise<T>): Promise<T> {
    try {
      const answer = await request(Date.now() + this.#options.answerMs);
      this.#failuresInARow = 0;
      return answer;
    } catch (error) {
      if (error instanceof ApiError) this.#note(error);
      throw error;
    }
  }

  #note(error: ApiError): void {
    this.#failure = error;
    const isAboutItem = !this.#options.isPaid && error instanceof UnusableAnswer;
    const isAnswer = isAboutItem || error.statusCode === 404;
    this.#failuresInARow = isAnswer ? 0 : this.#failuresInARow + 1;
    if (error.statusCode === 429 || this.#failuresInARow >= FAILURES_IN_A_ROW)
      this.#stopped ??= error.message;
  }
}
