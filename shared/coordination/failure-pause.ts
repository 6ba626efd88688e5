import { ApiError } from '../http/errors.ts';
import { LONGEST_PAUSE_MS, limitedBy } from './quota.ts';
import {
  type Change,
  EXPIRY_ATTRIBUTE,
  expiryAt,
  KEY_ATTRIBUTE,
  numberIn,
  type Row,
  rowKey,
  type Share,
  unlessAvailable,
} from './table.ts';

type Options = Share & {
  /** The provider as error texts tell it. */
  readonly title: string;
};

/** Failures of so many different paths are the provider's trouble and not one request's. */
const PATHS_TO_PAUSE = 3;
/** A failure counts for so long. */
const COUNTED_MS = 60_000;
/** Paths are told apart by a hash: two that share one count as one, which only delays the pause. */
const SLOTS = 16;
/** Between two tries, by chance, so that tries do not keep step with troubles that come and go. */
const TRY_AFTER_MS = { from: 10_000, to: 30_000 };
/** Rows are kept for so long after their last use. */
const KEEP_MS = 2 * 3_600_000;
/** For so long this instance does not look at the row again. */
const KNOWN_MS = 5_000;

const slots = Array.from({ length: SLOTS }, (_, slot) => `path${slot}`);

/**
 * One pause for all instances: after failures in a row of different paths nobody asks the provider for a while, then
 * one instance may try. Without the table nobody is held back.
 */
export class FailurePause {
  readonly #options: Required<Options>;
  readonly #key: string;
  #row: Row | undefined;
  #knownAt = Number.NEGATIVE_INFINITY;

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
    this.#key = rowKey(options.provider, 'pause');
  }

  /** The pause that this instance knows, without asking the table, to be in force. */
  known(): Error | undefined {
    return this.#isKnown() && this.#options.now() < this.#until ? this.#error() : undefined;
  }

  /** Throws during a pause. At its end one instance passes, and the pause begins anew for the rest. */
  async check(): Promise<void> {
    await this.#checkRow().catch(unlessAvailable);
  }

  async #checkRow(): Promise<void> {
    const { table, now } = this.#options;
    if (!this.#isKnown()) this.#learn(await table.get(this.#key));
    const until = this.#until;
    if (until === 0) return;
    if (now() < until || !(await this.#mayTry(until))) throw this.#error();
  }

  /** A path that the provider was not reached for, or answered with its own failure. */
  async noteTrouble(path: string): Promise<void> {
    await this.#noteTrouble(path).catch(unlessAvailable);
  }

  async #noteTrouble(path: string): Promise<void> {
    const now = this.#options.now();
    await this.#update({
      update: `SET #${slotOf(path)} = :now, #${EXPIRY_ATTRIBUTE} = :expiry`,
      values: { ':now': now, ':expiry': expiryAt(Math.max(now, this.#until) + KEEP_MS) },
    });
    const failed = slots.filter((slot) => (numberIn(this.#row, slot) ?? 0) > now - COUNTED_MS);
    if (failed.length >= PATHS_TO_PAUSE && now >= this.#until) {
      await this.#pauseUntil(now + tryAfterMs(), false);
    }
  }

  /** The provider wants to be left alone for so long, or has banned who asks; three days at most. */
  async noteLimit(ms: number): Promise<void> {
    const until = this.#options.now() + Math.min(ms, LONGEST_PAUSE_MS);
    await this.#pauseUntil(until, true).catch(unlessAvailable);
  }

  /** The provider has answered. */
  async end(): Promise<void> {
    if (!this.#row) return;
    const change = { update: `REMOVE #until, #limited, ${slots.map((slot) => `#${slot}`).join(', ')}` };
    await this.#update(change).catch(unlessAvailable);
  }

  async #pauseUntil(until: number, isLimit: boolean): Promise<void> {
    await this.#update({
      update: `SET #until = :until, #limited = :limited, #${EXPIRY_ATTRIBUTE} = :expiry`,
      values: {
        ':until': until,
        ':limited': isLimit ? 1 : 0,
        ':expiry': expiryAt(until + KEEP_MS),
      },
    });
  }

  /** The end of the pause, 0 if there is none. */
  get #until(): number {
    return numberIn(this.#row, 'until') ?? 0;
  }

  async #mayTry(until: number): Promise<boolean> {
    const applied = await this.#update({
      update: 'SET #until = :next',
      condition: '#until = :seen',
      values: { ':next': this.#options.now() + tryAfterMs(), ':seen': until },
    });
    // A pause that is gone: another has tried, with success.
    return applied || this.#until === 0;
  }

  #error(): Error {
    const { title, now } = this.#options;
    const seconds = Math.max(1, Math.ceil((this.#until - now()) / 1000));
    if (numberIn(this.#row, 'limited')) {
      return limitedBy(title, seconds);
    }
    return new ApiError(502, `${title} does not answer at the moment; it is tried again in ${seconds} s`, {
      headers: { 'retry-after': String(seconds) },
    });
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
    const isEmpty = Object.keys(row ?? {}).every(
      (name) => name === EXPIRY_ATTRIBUTE || name === KEY_ATTRIBUTE,
    );
    this.#row = isEmpty ? undefined : row;
    this.#knownAt = this.#options.now();
  }
}

/** FNV-1a. */
function slotOf(path: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(path)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `path${hash % SLOTS}`;
}

function tryAfterMs(): number {
  return TRY_AFTER_MS.from + Math.random() * (TRY_AFTER_MS.to - TRY_AFTER_MS.from);
}
