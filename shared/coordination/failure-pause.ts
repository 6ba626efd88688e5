import { ApiError, isOutage } from '../http/errors.ts';
import type { ErrorCodec } from './answer-row.ts';
import { EXPIRY_ATTRIBUTE, numberIn, type Row, type SharedTable, TableUnavailable, textIn } from './table.ts';

interface Options {
  readonly table: SharedTable;
  readonly provider: string;
  readonly errors: ErrorCodec;
  readonly now?: () => number;
}

/** So many failures in a row are the provider's trouble and not one request's. */
const FAILURES_TO_PAUSE = 3;
const PAUSE_MS = 15_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** For so long this instance does not look at the row again. */
const KNOWN_MS = 5_000;

/**
 * One pause for all instances: after failures in a row nobody asks the provider for a while, then one instance may
 * try. Without it, every instance would pay for finding out for itself. Without the table nobody is held back.
 */
export class FailurePause {
  readonly #table: SharedTable;
  readonly #key: string;
  readonly #errors: ErrorCodec;
  readonly #now: () => number;
  #row: Row | undefined;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor({ table, provider, errors, now = Date.now }: Options) {
    this.#table = table;
    this.#key = `pause#${provider}`;
    this.#errors = errors;
    this.#now = now;
  }

  /** The failure that this instance knows, without asking the table, to be in force. */
  known(): Error | undefined {
    const isCertain = this.#isKnown() && this.#now() < this.#until;
    return isCertain ? this.#lastFailure() : undefined;
  }

  /** Throws the last failure during a pause. At its end one instance passes, and the pause begins anew for the rest. */
  async check(): Promise<void> {
    await this.#withTable(async () => {
      if (!this.#isKnown()) this.#learn(await this.#table.get(this.#key));
      const until = this.#until;
      if (until === 0) return;
      if (this.#now() < until || !(await this.#mayTry(until))) throw this.#lastFailure();
    });
  }

  /** Counts a failure, if it is one of the provider's; a 429 pauses at once, for as long as it says. */
  async note(error: unknown): Promise<void> {
    if (!isOutage(error)) return this.end();
    await this.#withTable(async () => {
      const { statusCode, headers } = error as ApiError; // isOutage says so
      const askedMs = statusCode === 429 ? Number(headers['retry-after'] ?? 10) * 1000 : undefined;
      const now = this.#now();
      const pauseMs = Math.min(askedMs ?? PAUSE_MS, MAX_RETRY_AFTER_MS);
      const { row } = await this.#table.update(this.#key, {
        update: `SET #failures = if_not_exists(#failures, :zero) + :failures, #failure = :failure,
          #until = :until, #${EXPIRY_ATTRIBUTE} = :expiry`,
        values: {
          ':zero': 0,
          ':failures': askedMs === undefined ? 1 : FAILURES_TO_PAUSE,
          ':failure': this.#errors.write(error) ?? '',
          ':until': now + pauseMs,
          ':expiry': Math.ceil((now + MAX_RETRY_AFTER_MS * 2) / 1000),
        },
      });
      this.#learn(row);
    });
  }

  /** The provider has answered. */
  async end(): Promise<void> {
    if (!this.#row) return;
    await this.#withTable(async () => {
      const { row } = await this.#table.update(this.#key, { update: 'REMOVE #failures, #until, #failure' });
      this.#learn(row);
    });
  }

  /** The end of the pause, 0 if there is none. */
  get #until(): number {
    const isPaused = (numberIn(this.#row, 'failures') ?? 0) >= FAILURES_TO_PAUSE;
    return isPaused ? (numberIn(this.#row, 'until') ?? 0) : 0;
  }

  async #mayTry(until: number): Promise<boolean> {
    const { applied, row } = await this.#table.update(this.#key, {
      update: 'SET #until = :next',
      condition: '#until = :seen',
      values: { ':next': this.#now() + PAUSE_MS, ':seen': until },
    });
    this.#learn(row);
    // A pause that is gone: another has tried, with success.
    return applied || this.#until === 0;
  }

  #lastFailure(): Error {
    const text = textIn(this.#row, 'failure');
    const failure = text ? this.#errors.read(text) : undefined;
    if (failure instanceof ApiError && failure.statusCode !== 429) return failure;
    return ApiError.rateLimited((this.#until - this.#now()) / 1000);
  }

  #isKnown(): boolean {
    return Math.abs(this.#now() - this.#knownAt) < KNOWN_MS;
  }

  #learn(row: Row | undefined): void {
    this.#row = numberIn(row, 'failures') === undefined ? undefined : row;
    this.#knownAt = this.#now();
  }

  async #withTable(run: () => Promise<void>): Promise<void> {
    await run().catch((error: unknown) => {
      if (!(error instanceof TableUnavailable)) throw error;
    });
  }
}
