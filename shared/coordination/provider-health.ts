import { ApiError, isOutage } from '../http/errors.ts';
import type { ErrorCodec } from '../providers/client/shared-entry.ts';
import { numberIn, type Row, type SharedTable, TableUnavailable, textIn } from './table.ts';

interface Options {
  readonly table: SharedTable;
  readonly errors: ErrorCodec;
  readonly now?: () => number;
}

const KEY = 'provider#1';
/** So many failures in a row are the provider's trouble and not one request's. */
const FAILURES_TO_PAUSE = 3;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** How long the one that tries may take. */
const TRIAL_MS = 10_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** What this instance knows is good for so long. */
const KNOWN_MS = 5_000;

/**
 * What the fleet knows of the provider's health: after failures in a row nobody asks for a while, then one instance
 * tries, and so on with ever longer pauses. Without it, every instance would pay for finding out for itself.
 * Without the table nobody is held back.
 */
export class ProviderHealth {
  readonly #table: SharedTable;
  readonly #errors: ErrorCodec;
  readonly #now: () => number;
  #row: Row | undefined;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor({ table, errors, now = Date.now }: Options) {
    this.#table = table;
    this.#errors = errors;
    this.#now = now;
  }

  /** The failure for which this instance knows, without asking the table, that the fleet pauses. */
  known(): Error | undefined {
    const now = this.#now();
    const pausedUntil = numberIn(this.#row, 'pausedUntil') ?? 0;
    const isCertain = Math.abs(now - this.#knownAt) < KNOWN_MS && now < pausedUntil;
    return isCertain ? this.#lastFailure(pausedUntil, now) : undefined;
  }

  /** Throws the last failure while the fleet pauses. Returns when this instance may ask. */
  async check(): Promise<void> {
    const now = this.#now();
    try {
      if (Math.abs(now - this.#knownAt) >= KNOWN_MS) this.#learn(await this.#table.get(KEY));
      const pausedUntil = numberIn(this.#row, 'pausedUntil');
      if (pausedUntil === undefined) return;
      if (now < pausedUntil || !(await this.#mayTry(pausedUntil, now))) {
        throw this.#lastFailure(numberIn(this.#row, 'pausedUntil') ?? pausedUntil, now);
      }
    } catch (error) {
      if (!(error instanceof TableUnavailable)) throw error;
    }
  }

  /** Tells what became of a request: `undefined` for an answer of any use, else the error. */
  async report(error: unknown): Promise<void> {
    try {
      if (!isOutage(error)) {
        if (this.#row) await this.#recovered();
        return;
      }
      await this.#failed(error as ApiError); // isOutage says so
    } catch (failure) {
      if (!(failure instanceof TableUnavailable)) throw failure;
    }
  }

  async #mayTry(pausedUntil: number, now: number): Promise<boolean> {
    const { applied, row } = await this.#table.update(KEY, {
      update: 'SET #pausedUntil = :until',
      condition: '#pausedUntil = :seen',
      values: { ':until': now + TRIAL_MS, ':seen': pausedUntil },
    });
    this.#learn(row);
    // A row that is gone: another has tried, with success.
    return applied || numberIn(row, 'pausedUntil') === undefined;
  }

  async #failed(error: ApiError): Promise<void> {
    const now = this.#now();
    const { row } = await this.#table.update(KEY, {
      update:
        'SET #failures = if_not_exists(#failures, :zero) + :one, #failure = :failure, #expiresAt = :expiry',
      values: {
        ':zero': 0,
        ':one': 1,
        ':failure': this.#errors.write(error) ?? '',
        ':expiry': Math.ceil((now + MAX_RETRY_AFTER_MS * 2) / 1000),
      },
    });
    this.#learn(row);
    const failures = numberIn(row, 'failures') ?? 0;
    const pauseMs = pauseAfter(failures, error);
    if (pauseMs === 0) return;
    const paused = await this.#table.update(KEY, {
      update: 'SET #pausedUntil = :until',
      condition: '#failures = :failures',
      values: { ':until': now + pauseMs, ':failures': failures },
    });
    this.#learn(paused.row);
  }

  async #recovered(): Promise<void> {
    const { row } = await this.#table.update(KEY, {
      update: 'REMOVE #failures, #pausedUntil, #failure',
    });
    this.#learn(numberIn(row, 'failures') === undefined ? undefined : row);
  }

  #lastFailure(pausedUntil: number, now: number): Error {
    const text = textIn(this.#row, 'failure');
    const failure = text ? this.#errors.read(text) : undefined;
    if (failure instanceof ApiError && failure.statusCode !== 429) return failure;
    return ApiError.rateLimited((pausedUntil - now) / 1000);
  }

  #learn(row: Row | undefined): void {
    this.#row = numberIn(row, 'failures') === undefined ? undefined : row;
    this.#knownAt = this.#now();
  }
}

/** A 429 says itself how long to stay away; any other failure counts from the third in a row on. */
function pauseAfter(failures: number, { statusCode, headers }: ApiError): number {
  if (statusCode === 429) return Math.min(Number(headers['retry-after'] ?? 10) * 1000, MAX_RETRY_AFTER_MS);
  if (failures < FAILURES_TO_PAUSE) return 0;
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - FAILURES_TO_PAUSE), MAX_PAUSE_MS);
}
