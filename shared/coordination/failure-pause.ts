import { ApiError, isOutage } from '../http/errors.ts';
import type { ErrorCodec } from './answer-row.ts';
import {
  type Change,
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  type Share,
  textIn,
  unlessAvailable,
} from './table.ts';

type Options = Share & { readonly errors: ErrorCodec };

/** So many failures in a row are the provider's trouble and not one request's. */
const FAILURES_TO_PAUSE = 3;
const PAUSE_MS = 15_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** For so long this instance does not look at the row again. */
const KNOWN_MS = 5_000;

/**
 * One pause for all instances: after failures in a row nobody asks the provider for a while, then one instance may
 * try. Without the table nobody is held back.
 */
export class FailurePause {
  readonly #options: Required<Options>;
  readonly #key: string;
  #row: Row | undefined;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
    this.#key = `pause#${options.provider}`;
  }

  /** The failure that this instance knows, without asking the table, to be in force. */
  known(): Error | undefined {
    return this.#isKnown() && this.#options.now() < this.#until ? this.#lastFailure() : undefined;
  }

  /** Throws the last failure during a pause. At its end one instance passes, and the pause begins anew for the rest. */
  async check(): Promise<void> {
    await this.#checkRow().catch(unlessAvailable);
  }

  async #checkRow(): Promise<void> {
    const { table, now } = this.#options;
    if (!this.#isKnown()) this.#learn(await table.get(this.#key));
    const until = this.#until;
    if (until === 0) return;
    if (now() < until || !(await this.#mayTry(until))) throw this.#lastFailure();
  }

  /** Counts a failure, if it is one of the provider's; a 429 pauses at once, for as long as it says. */
  async note(error: unknown): Promise<void> {
    if (!isOutage(error)) return this.end();
    const { statusCode, headers } = error as ApiError; // isOutage says so
    const askedMs = statusCode === 429 ? Number(headers['retry-after'] ?? 10) * 1000 : undefined;
    const now = this.#options.now();
    const change = {
      update: `SET #failures = if_not_exists(#failures, :zero) + :failures, #failure = :failure,
        #until = :until, #${EXPIRY_ATTRIBUTE} = :expiry`,
      values: {
        ':zero': 0,
        ':failures': askedMs === undefined ? 1 : FAILURES_TO_PAUSE,
        ':failure': this.#options.errors.write(error) ?? '',
        ':until': now + Math.min(askedMs ?? PAUSE_MS, MAX_RETRY_AFTER_MS),
        ':expiry': expiryAt(now + MAX_RETRY_AFTER_MS * 2),
      },
    };
    await this.#update(change).catch(unlessAvailable);
  }

  /** The provider has answered. */
  async end(): Promise<void> {
    const change = { update: 'REMOVE #failures, #until, #failure' };
    if (this.#row) await this.#update(change).catch(unlessAvailable);
  }

  /** The end of the pause, 0 if there is none. */
  get #until(): number {
    const isPaused = (numberIn(this.#row, 'failures') ?? 0) >= FAILURES_TO_PAUSE;
    return isPaused ? (numberIn(this.#row, 'until') ?? 0) : 0;
  }

  async #mayTry(until: number): Promise<boolean> {
    const applied = await this.#update({
      update: 'SET #until = :next',
      condition: '#until = :seen',
      values: { ':next': this.#options.now() + PAUSE_MS, ':seen': until },
    });
    // A pause that is gone: another has tried, with success.
    return applied || this.#until === 0;
  }

  #lastFailure(): Error {
    const { errors, now } = this.#options;
    const text = textIn(this.#row, 'failure');
    const failure = text ? errors.read(text) : undefined;
    if (failure instanceof ApiError && failure.statusCode !== 429) return failure;
    return ApiError.rateLimited((this.#until - now()) / 1000);
  }

  #isKnown(): boolean {
    return Math.abs(this.#options.now() - this.#knownAt) < KNOWN_MS;
  }

  async #update(change: Change): Promise<boolean> {
    const { applied, row } = await this.#options.table.update(this.#key, change);
    this.#learn(row);
    return applied;
  }

  #learn(row: Row | undefined): void {
    this.#row = numberIn(row, 'failures') === undefined ? undefined : row;
    this.#knownAt = this.#options.now();
  }
}
