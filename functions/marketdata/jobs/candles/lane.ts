import { ApiError } from '../../../../shared/http/errors.ts';
import type { Candle } from '../../../../shared/marketdata/candles.ts';
import {
  type MarketHistoryQuery,
  type Received,
  UnusableAnswer,
} from '../../../../shared/marketdata/provider.ts';
import type { ProviderClient } from '../../../../shared/marketdata/provider-client.ts';

export type ExchangeClient = ProviderClient<'marketCandles'>;

/** They are paced, so that more of them at a time would only wait for each other. */
const AT_A_TIME = 2;
const FAILURES_IN_A_ROW = 3;
/** For one answer, with its turn and its retry. */
const ANSWER_MS = 15_000;

/** One exchange in one run, which is asked no more once it wants to be left alone, or fails three times in a row. */
export class Lane {
  readonly name: string;
  /** So many candles one answer has at most. */
  readonly rows: number;
  readonly #client: ExchangeClient;
  readonly #waiting: (() => void)[] = [];
  #free = AT_A_TIME;
  #failuresInARow = 0;
  #stopped: string | undefined;

  constructor(client: ExchangeClient) {
    this.#client = client;
    this.name = client.provider.name;
    this.rows = client.provider.limits.rows.candles;
  }

  /** Why it is asked no more; undefined: it is. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  /** Throws ApiError: what the exchange answered, or that it is too late. */
  async ask(query: MarketHistoryQuery, deadline: number): Promise<Received<Candle[]>> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      const now = Date.now();
      if (this.#stopped !== undefined) throw new ApiError(502, this.#stopped);
      if (now >= deadline) throw new ApiError(504, 'The time of this run is over');
      return await this.#fetch(query, Math.min(deadline, now + ANSWER_MS), now);
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  async #fetch(query: MarketHistoryQuery, deadline: number, askedAt: number): Promise<Received<Candle[]>> {
    try {
      const received = await this.#client.fetch(this.#client.provider.marketCandles(query), deadline);
      this.#failuresInARow = 0;
      return received;
    } catch (error) {
      // One that had no time left for its turn says nothing of the exchange.
      if (error instanceof ApiError && deadline - askedAt >= ANSWER_MS) this.#note(error);
      throw error;
    }
  }

  /** An answer that cannot be used, and a market that is not known, say nothing of the next one. */
  #note(error: ApiError): void {
    if (error instanceof UnusableAnswer || error.statusCode === 404) {
      this.#failuresInARow = 0;
      return;
    }
    this.#failuresInARow += 1;
    if (error.statusCode === 429 || this.#failuresInARow >= FAILURES_IN_A_ROW)
      this.#stopped ??= error.message;
  }
}
