import { ApiError } from '../http/errors.ts';
import type { Kept } from '../marketdata/provider-client.ts';
import { count } from '../platform/metrics.ts';
import {
  answerAttributes,
  answerIn,
  type ErrorCodec,
  lastRefusalIn,
  refusalAttributes,
  refusalIn,
} from './answer-row.ts';
import {
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type Share,
  TableUnavailable,
  textIn,
  unlessAvailable,
  type Value,
} from './table.ts';

interface Options extends Share {
  /** The provider as error texts tell it. */
  readonly title: string;
  readonly errors: ErrorCodec;
  /** A lease holds for longer than its request takes. */
  readonly leaseMs: number;
}

/** An answer that a container's own cache does not have. */
interface Miss<T> {
  /** Path and query of what is asked for: a refusal is of that alone. */
  readonly path: string;
  /** `before` is the refusal that was given to whoever asked last, if there was one. */
  readonly ask: (before?: Error) => Promise<Kept<T>>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Told when this instance is the one that asks. */
  readonly onRequestStarted?: () => void;
  /** False for an answer of another instance that cannot be true, however fresh it is; it is asked for anew. */
  readonly isUsable?: ((answer: Kept<T>) => Promise<boolean>) | undefined;
  /** Told the answer of another instance that is past its lifetime; true if it is enough all the same. */
  readonly onStale?: (answer: Kept<T>) => Promise<boolean>;
  /** The error that asking is known to end with, so that nobody takes a lease for it. */
  readonly knownFailure?: () => Error | undefined;
}

/** A row without an answer is kept for so long, at least. */
const LEASED_ROW_MS = 3_600_000;
const PAUSE_MS = { first: 25, longest: 300 };
/** By how much the clocks of two instances may differ, twice two seconds, and a little more. */
const MAX_SKEW_MS = 5_000;

/**
 * A provider's answers, shared by all instances: the level below a container's own cache. One instance takes a lease
 * and asks, the others wait for its answer. A row is written before its answer is given, because the container
 * stands still afterwards.
 */
export class SharedAnswers {
  readonly #options: Required<Options>;

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
  }

  /**
   * The answer for the key, from the table or from `ask`. Throws what `ask` throws, here or in the instance that
   * asked; 504 if `deadline` comes first. Without the table it is `ask`.
   */
  async load<T>(key: string, miss: Miss<T>): Promise<Kept<T>> {
    try {
      return await new SharedRequest(this.#options, this.#rowKey(key), miss).run();
    } catch (error) {
      if (!(error instanceof TableUnavailable)) throw error;
      return miss.ask();
    }
  }

  /** The answer in the table, fresh or not; undefined if there is none, or no table. */
  async find<T>(key: string): Promise<Kept<T> | undefined> {
    const row = await this.#options.table.get(this.#rowKey(key)).catch(unlessAvailable);
    return answerIn<T>(row, this.#options.now());
  }

  #rowKey(key: string): string {
    return rowKey(this.#options.provider, 'answer', key);
  }
}

/** One miss of one instance, from the first look at the table to the answer. */
class SharedRequest<T> {
  readonly #options: Required<Options>;
  readonly #key: string;
  readonly #miss: Miss<T>;
  #row: Row | undefined;
  /** The version of an answer that is not usable. */
  #rejected: string | undefined;
  /** The lease that this request waits for, and since when by its own stopwatch. */
  #awaited: { readonly token: string; readonly since: number } | undefined;

  constructor(options: Required<Options>, key: string, miss: Miss<T>) {
    [this.#options, this.#key, this.#miss] = [options, key, miss];
  }

  async run(): Promise<Kept<T>> {
    const { deadline, isUsable, onStale, knownFailure } = this.#miss;
    const { table, title, now } = this.#options;
    this.#row = await table.get(this.#key);
    const old = answerIn<T>(this.#row, now());
    if (old && isUsable && !(await isUsable(old))) this.#rejected = textIn(this.#row, 'version');
    else if (old && now() >= old.freshUntil && (await onStale?.(old))) return old;
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest)) {
      const found = this.#answer();
      if (found) return found;
      if (!this.#isHeld()) {
        const end = knownFailure?.();
        if (end) throw end;
        const token = await this.#take();
        if (token) return this.#askAndStore(token);
        continue; // somebody was quicker: the row is now as that one left it
      }
      const mayWaitMs = deadline - now();
      if (mayWaitMs <= 0) throw new ApiError(504, `${title} timed out: no answer in time`);
      const jitteredMs = pauseMs * (0.5 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, Math.min(jitteredMs, mayWaitMs)));
      this.#row = await table.get(this.#key);
    }
  }

  /** The row's fresh answer, if it has one. Throws the refusal that it holds. */
  #answer(): Kept<T> | undefined {
    const now = this.#options.now();
    // An answer that it has waited for counts also if this instance's clock says that its time is over.
    const version = textIn(this.#row, 'version');
    const isNews = this.#awaited !== undefined && version === this.#awaited.token;
    const refusal = refusalIn(this.#row, this.#options.errors, this.#miss.path, now, isNews);
    if (refusal) throw refusal;
    if (version !== undefined && version === this.#rejected) return undefined;
    if (!isNews && now >= (numberIn(this.#row, 'freshUntil') ?? 0)) return undefined;
    const answer = answerIn<T>(this.#row, now);
    if (answer) count('SharedCacheHits');
    return answer;
  }

  /**
   * True while another instance asks. Its lease is over when this instance has watched it for its whole length, or
   * when it ended so long ago that no difference of clocks explains it; clocks are compared in no other way.
   */
  #isHeld(): boolean {
    const token = textIn(this.#row, 'lease');
    if (token === undefined) return false;
    if (this.#awaited?.token !== token) this.#awaited = { token, since: performance.now() };
    const isOver = this.#options.now() > (numberIn(this.#row, 'leaseUntil') ?? 0) + MAX_SKEW_MS;
    return !isOver && performance.now() - this.#awaited.since < this.#options.leaseMs;
  }

  /** The token of this instance's lease; undefined if another was quicker. */
  async #take(): Promise<string | undefined> {
    const token = crypto.randomUUID();
    const now = this.#options.now();
    const [lease, version] = [textIn(this.#row, 'lease'), textIn(this.#row, 'version')];
    const { applied, row } = await this.#options.table.update(this.#key, {
      update: `SET #lease = :token, #leaseUntil = :until, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: [
        lease === undefined ? 'attribute_not_exists(#lease)' : '#lease = :lease',
        version === undefined ? 'attribute_not_exists(#version)' : '#version = :version',
      ].join(' AND '),
      values: {
        ':token': token,
        ':until': now + this.#options.leaseMs,
        ':expiry': Math.max(numberIn(this.#row, EXPIRY_ATTRIBUTE) ?? 0, expiryAt(now + LEASED_ROW_MS)),
        ...(lease !== undefined && { ':lease': lease }),
        ...(version !== undefined && { ':version': version }),
      },
    });
    this.#row = row;
    return applied ? token : undefined;
  }

  async #askAndStore(token: string): Promise<Kept<T>> {
    this.#miss.onRequestStarted?.();
    const { errors, now } = this.#options;
    try {
      const answer = await this.#miss.ask(lastRefusalIn(this.#row, errors));
      await this.#store(token, answerAttributes(answer) ?? {}, '#refusal, #refusalUntil, #refusedPath');
      return answer;
    } catch (error) {
      const { path } = this.#miss;
      await this.#store(token, refusalAttributes(error, errors, path, now(), this.#row) ?? {});
      throw error;
    }
  }

  /** Writes the outcome and gives up the lease, if it is still this instance's. */
  async #store(token: string, attributes: Record<string, Value>, outdated?: string): Promise<void> {
    const all = { ...attributes, version: token };
    const set = Object.keys(all).map((name) => `#${name} = :${name}`);
    const values = Object.fromEntries(Object.entries(all).map(([name, value]) => [`:${name}`, value]));
    const change = {
      update: `SET ${set.join(', ')} REMOVE #lease, #leaseUntil${outdated ? `, ${outdated}` : ''}`,
      condition: '#lease = :version',
      values,
    };
    // Without the table the answer is there all the same; the others find the lease run out.
    await this.#options.table.update(this.#key, change).catch(unlessAvailable);
  }
}
