import { ApiError } from '../../../shared/http/errors.ts';
import { UnusableAnswer } from '../../../shared/marketdata/provider.ts';

interface LaneOptions {
  /** Sources are paced: more requests at the same time would only wait for each other, and in the end too long. */
  readonly atATime: number;
  /** For one answer, with its turn and its retry. No request begins with less time than that left. */
  readonly answerMs: number;
  /** Whether three answers in a row that cannot be used stop the source too, because each has its price. */
  readonly isPaid?: boolean;
}

const FAILURES_IN_A_ROW = 3;
const TIME_IS_OVER = 'the time is over';

/**
 * One source in one run of a job. It gets so many requests at a time, and none any more after a 429 or three failures in
 * a row, so that a source that is down costs a run seconds. An answer that cannot be used, and a 404, are about one item
 * and not about the source. Deadlines are in milliseconds since the epoch.
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

  /** Why the source gets no more requests; undefined: it does. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** The last failure of a request, of whatever kind. */
  get failure(): ApiError | undefined {
    return this.#failure;
  }

  /**
   * Makes a request as soon as it is its turn, with the deadline that it has. Throws what it throws, and ApiError if it is
   * not made: 502 if the source gets no more requests, 504 if there is no time left for an answer.
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
   * Does the work of each item, as many at a time as requests, until the source stops or there is no time. Returns why not
   * all of it was done; undefined: it was. An ApiError of a work ends that item alone; what else it throws ends the lane
   * and is thrown once no work is under way any more.
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
