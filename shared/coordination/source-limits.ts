/** The limits of one source: its pace, and pauses after refusals and failures. */
import { ApiError } from '../http/errors.ts';
import {
  type Change,
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type SharedTable,
  type Updated,
  unlessAvailable,
} from '../platform/table.ts';
import { elapsedMs } from '../platform/time.ts';
import { Pace, throttle } from './pace.ts';

/** The limits of a source of data. */
export interface Source {
  readonly name: string;
  /** Its name in error messages. */
  readonly title: string;
  readonly limits: {
    /** The weight of requests allowed in a second. */
    readonly requestsPerSecond: number;
    /** Whether that is for each instance, or for all of the service together. */
    readonly per: 'instance' | 'service';
  };
}

/** The pause after a 429 that names no time. */
export const DEFAULT_PAUSE_MS = 10_000;
/** The longest pause: the longest ban that any source gives. */
export const LONGEST_PAUSE_MS = 3 * 24 * 3_600_000;

/** Failures of this many different paths mean that the source fails, not one request. */
const PATHS_TO_PAUSE = 3;
/** How long a failure counts. */
const COUNTED_MS = 60_000;
/** Paths are compared by hash: two with the same hash count as one, which only delays the pause. */
const SLOTS = Array.from({ length: 16 }, (_, slot) => `path${slot}`);
const PAUSE_ATTRIBUTES = ['until', 'pausedUntil', 'limited', ...SLOTS];
/** The random range between two tries, so that tries do not keep step with recurring trouble. */
const TRY_AFTER_MS = { from: 10_000, to: 30_000 };
/** How long this instance relies on the row that it has read. */
const KNOWN_MS = 5_000;
/** A row's lifetime exceeds the longest pause that it can hold. */
const KEEP_MS = LONGEST_PAUSE_MS + 2 * 3_600_000;

/**
 * The limits of one source, shared by all instances in one row: its pace (pace.ts) and its pause. No request is sent before `until`:
 * a refusal or failures set `pausedUntil`, and after that one instance at a time may try. Without the table an instance keeps to the
 * pauses that it received itself.
 */
export class SourceLimits {
  readonly #source: Source;
  readonly #table: SharedTable | undefined;
  readonly #now: () => number;
  readonly #key: string;
  #row: Row | undefined;
  #knownAt = Number.NEGATIVE_INFINITY;
  /** The end of a pause that the source demanded from this container. */
  #refusedUntil = 0;

  /** True when it is the turn of a request; false, at once, if that would be in more than `maxWaitMs`. */
  readonly mayStart: (maxWaitMs: number, weight?: number) => Promise<boolean>;

  constructor(source: Source, table?: SharedTable, now = Date.now) {
    this.#source = source;
    this.#table = table;
    this.#now = now;
    this.#key = rowKey(source.name, 'limits');
    const { requestsPerSecond: perSecond, per } = source.limits;
    const reserve = table && ((change: Change) => this.#update(table, change));
    const pace = new Pace(perSecond, reserve, now);
    this.mayStart = per === 'service' ? (...of) => pace.mayStart(...of) : throttle(perSecond);
  }

  /** The error of a pause that the source demanded from this container. */
  refused(): ApiError | undefined {
    const leftMs = this.#refusedUntil - this.#now();
    return leftMs > 0 ? limitedBy(this.#source.title, leftMs / 1000) : undefined;
  }

  /**
   * Throws during a pause. At its end one instance passes, and the pause starts again for the rest. A probe passes unless the
   * source demanded a pause from this container.
   */
  async check(isProbe = false): Promise<void> {
    const refused = this.refused();
    if (refused) throw refused;
    if (this.#table && !isProbe) await this.#checkRow(this.#table).catch(unlessAvailable);
  }

  async #checkRow(table: SharedTable): Promise<void> {
    if (!this.#isKnown()) this.#learn(await table.get(this.#key));
    const until = this.#until;
    if (until === 0) return;
    if (this.#now() < until || !(await this.#mayTry(table, until))) throw this.#error();
  }

  async #mayTry(table: SharedTable, until: number): Promise<boolean> {
    const next = this.#now() + tryAfterMs();
    const { applied, row } = await this.#update(table, {
      set: { until: next },
      when: ['until', '=', until],
    });
    const now = numberIn(row, 'until');
    // Its own random time: the write was repeated on a new connection. None: another instance has tried with success.
    return applied || now === next || now === undefined;
  }

  /** Notes a path for which the source was unreachable or failed. */
  async noteTrouble(path: string): Promise<void> {
    if (this.#table) await this.#countTrouble(this.#table, path).catch(unlessAvailable);
  }

  async #countTrouble(table: SharedTable, path: string): Promise<void> {
    const now = this.#now();
    await this.#update(table, { set: { [slotOf(path)]: now } });
    const failed = SLOTS.filter((slot) => (numberIn(this.#row, slot) ?? 0) > now - COUNTED_MS);
    if (failed.length >= PATHS_TO_PAUSE && now >= this.#until)
      await this.#pauseUntil(table, now + tryAfterMs(), false);
  }

  /** Notes a pause that the source demands, at most three days; 0 if it names no time. */
  async noteLimit(ms: number): Promise<void> {
    const until = this.#now() + Math.min(ms || DEFAULT_PAUSE_MS, LONGEST_PAUSE_MS);
    if (ms > 0) this.#refusedUntil = Math.max(this.#refusedUntil, until);
    if (this.#table) await this.#pauseUntil(this.#table, until, true).catch(unlessAvailable);
  }

  /** The longer pause wins: a request sent before a ban may still return with a mild 429. */
  async #pauseUntil(table: SharedTable, until: number, isLimit: boolean): Promise<void> {
    await this.#update(table, {
      set: { until, pausedUntil: until, limited: isLimit ? 1 : 0 },
      when: { any: [{ absent: 'until' }, ['until', '<', until]] },
    });
  }

  /** Notes a response to a request sent at `sentAt`: one sent before a pause was over does not end it. */
  async noteSuccess(sentAt: number): Promise<void> {
    if (!this.#table || PAUSE_ATTRIBUTES.every((name) => this.#row?.[name] === undefined)) return;
    const change: Change = {
      remove: PAUSE_ATTRIBUTES,
      when: { any: [{ absent: 'pausedUntil' }, ['pausedUntil', '<=', sentAt]] },
    };
    const updated = await this.#table.update(this.#key, change).catch(unlessAvailable);
    if (updated) this.#learn(updated.row);
  }

  /** When requests may be sent again; 0 without a pause. */
  get #until(): number {
    return numberIn(this.#row, 'until') ?? 0;
  }

  #error(): ApiError {
    const { title } = this.#source;
    const seconds = Math.max(1, Math.ceil((this.#until - this.#now()) / 1000));
    if (numberIn(this.#row, 'limited')) return limitedBy(title, seconds);
    return new ApiError(502, `${title} does not answer at the moment; it is tried again in ${seconds} s`, {
      headers: { 'retry-after': String(seconds) },
    });
  }

  #isKnown(): boolean {
    return elapsedMs(this.#knownAt, this.#now()) < KNOWN_MS;
  }

  #learn(row: Row | undefined): void {
    this.#row = row;
    this.#knownAt = this.#now();
  }

  async #update(table: SharedTable, { set, ...change }: Change): Promise<Updated> {
    const updated = await table.update(this.#key, {
      ...change,
      set: { ...set, [EXPIRY_ATTRIBUTE]: expiryAt(this.#now() + KEEP_MS) },
    });
    this.#learn(updated.row);
    return updated;
  }
}

/** The 429 of a source's own limit. */
export function limitedBy(title: string, retryAfterSeconds: number): ApiError {
  return ApiError.rateLimited(`the provider's (${title})`, retryAfterSeconds);
}

/** FNV-1a. */
function slotOf(path: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(path)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return `path${hash % SLOTS.length}`;
}

function tryAfterMs(): number {
  return TRY_AFTER_MS.from + Math.random() * (TRY_AFTER_MS.to - TRY_AFTER_MS.from);
}
