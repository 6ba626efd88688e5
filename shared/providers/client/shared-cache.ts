import { keepAlive, LEASE_MS, LeaseWatch } from '../../coordination/lease.ts';
import { type Observe, type SharedOutcome, unobserved } from '../../coordination/observer.ts';
import {
  EXPIRY_ATTRIBUTE,
  numberIn,
  type Row,
  type SharedTable,
  TableUnavailable,
  textIn,
  type Value,
} from '../../coordination/table.ts';
import { ApiError, isOutage } from '../../http/errors.ts';
import { withTimeout } from '../../platform/with-timeout.ts';
import { type Loaded, STARTED_WAIT_MS } from './cache.ts';
import { answerAttributes, answerIn, type ErrorCodec, refusalAttributes, refusalIn } from './shared-entry.ts';

interface Options {
  readonly table: SharedTable;
  readonly errors: ErrorCodec;
  /** How long a request waits for another instance before it takes a stale answer. */
  readonly staleWaitMs: number;
  readonly now?: () => number;
  readonly observe?: Observe;
}

/** What a container's own cache does not have. */
export interface Miss<T> {
  readonly ask: () => Promise<Loaded<T>>;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly onRequestStarted?: () => void;
  /** What asking is known to end with, so that nobody takes a lease for it. */
  readonly knownFailure?: () => Error | undefined;
}

/** How long a row without an answer is kept, at least. */
const LEASED_ROW_MS = 3_600_000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 300;

/**
 * Answers of the provider, shared by all instances: the level below a container's own cache. One instance takes a
 * lease and asks; the others wait for its answer as long as it shows signs of life, or take a stale one. A row is
 * written before its answer is given, because the container stands still afterwards.
 */
export class SharedCache {
  readonly #options: Options;
  readonly #now: () => number;
  readonly #observe: Observe;

  constructor(options: Options) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#observe = options.observe ?? unobserved;
  }

  /**
   * The answer for the key, from the table or from `ask`. Throws what `ask` throws, here or in the instance that
   * asked, unless it is an outage and a stale answer can stand in; 504 where `deadline` (ms since the epoch) comes
   * first. Without the table it is `ask`. `onRequestStarted` is called when this instance is the one that asks.
   */
  async load<T>(key: string, miss: Miss<T>): Promise<Loaded<T>> {
    const { ask } = miss;
    const request = new SharedRequest(this.#options, `answer#1#${key}`, miss, this.#now);
    try {
      const [outcome, loaded] = await request.run().catch((error: unknown) => {
        if (!(error instanceof TableUnavailable)) throw error;
        return ask().then((answer) => ['asked', answer] as const);
      });
      this.#tell(outcome);
      return loaded;
    } catch (error) {
      const standIn = isOutage(error) ? answerIn<T>(request.row, this.#now()) : undefined;
      this.#tell(standIn ? 'stale' : 'failed');
      if (standIn) return { ...standIn, stale: true };
      throw error;
    }
  }

  #tell(outcome: SharedOutcome): void {
    this.#observe({ kind: 'shared-cache', outcome });
  }
}

type Result<T> = readonly [SharedOutcome, Loaded<T>];

/** One miss of one instance, from the first look at the table to the answer. */
class SharedRequest<T> {
  readonly #options: Options;
  readonly #key: string;
  readonly #miss: Miss<T>;
  readonly #now: () => number;
  readonly #watch: LeaseWatch;
  /** The row as it was last seen. */
  row: Row | undefined;

  constructor(options: Options, key: string, miss: Miss<T>, now: () => number) {
    this.#options = options;
    this.#key = key;
    this.#miss = miss;
    this.#now = now;
    this.#watch = new LeaseWatch(now);
  }

  async run(): Promise<Result<T>> {
    const { table, staleWaitMs } = this.#options;
    const startedAt = performance.now();
    this.row = await table.get(this.#key);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const found = this.#answer();
      if (found) return found;
      const isHeld = this.row?.lease !== undefined;
      if (!isHeld || (this.row && this.#watch.isDead(this.row))) {
        const end = this.#miss.knownFailure?.();
        if (end) throw end;
        const token = await this.#take();
        if (token) return this.#hold(token, isHeld ? 'takeover' : 'asked');
        continue; // somebody was quicker: the row is now what that one made of it
      }
      const stale = answerIn<T>(this.row, this.#now());
      const mayWaitMs = stale
        ? staleWaitMs - (performance.now() - startedAt)
        : this.#miss.deadline - this.#now();
      if (mayWaitMs <= 0) {
        if (stale) return ['stale', { ...stale, stale: true }];
        throw new ApiError(504, 'CoinPaprika timed out: no answer in time');
      }
      const jitteredMs = pauseMs * (0.5 + Math.random());
      await new Promise((resolve) => setTimeout(resolve, Math.min(jitteredMs, mayWaitMs)));
      this.row = await table.get(this.#key);
    }
  }

  /** What the row says, where that is the answer. Throws the refusal that it holds. */
  #answer(): Result<T> | undefined {
    const now = this.#now();
    // What it has waited for is an answer also where this instance's clock says that its time is over.
    const { token } = this.#watch;
    const isNews = token !== undefined && textIn(this.row, 'version') === token;
    const refusal = refusalIn(this.row, this.#options.errors, now, isNews);
    if (refusal) throw refusal;
    if (!isNews && now >= (numberIn(this.row, 'freshUntil') ?? 0)) return undefined;
    const answer = answerIn<T>(this.row, now);
    return answer && [token === undefined ? 'hit' : 'waited', answer];
  }

  /** The token of this instance's lease; undefined where another was quicker. */
  async #take(): Promise<string | undefined> {
    const token = crypto.randomUUID();
    const now = this.#now();
    const { lease, leaseUntil = 0, version } = this.row ?? {};
    const { applied, row } = await this.#options.table.update(this.#key, {
      update: 'SET #lease = :token, #leaseUntil = :until, #expiresAt = :expiry',
      condition: [
        lease === undefined
          ? 'attribute_not_exists(#lease)'
          : '#lease = :lease AND #leaseUntil = :leaseUntil',
        version === undefined ? 'attribute_not_exists(#version)' : '#version = :version',
      ].join(' AND '),
      values: {
        ':token': token,
        ':until': now + LEASE_MS,
        ':expiry': Math.max(expiresAtOf(this.row), Math.ceil((now + LEASED_ROW_MS) / 1000)),
        ...(lease !== undefined && { ':lease': lease, ':leaseUntil': leaseUntil }),
        ...(version !== undefined && { ':version': version }),
      },
    });
    this.row = row;
    return applied ? token : undefined;
  }

  /** Asks, as the one instance that does. What it had to pay for it waits for longer than for another's answer. */
  async #hold(token: string, outcome: 'asked' | 'takeover'): Promise<Result<T>> {
    this.#miss.onRequestStarted?.();
    const asked = this.#askAndStore(token);
    const stale = answerIn<T>(this.row, this.#now());
    if (!stale) return [outcome, await asked];
    asked.catch(() => {}); // it may fail when this request is long answered
    const loaded = await withTimeout(STARTED_WAIT_MS, asked);
    return loaded ? [outcome, loaded] : ['stale', { ...stale, stale: true }];
  }

  async #askAndStore(token: string): Promise<Loaded<T>> {
    const { table, errors, observe = unobserved } = this.#options;
    const { ask, deadline } = this.#miss;
    const stop = keepAlive(table, this.#key, token, { deadline, now: this.#now });
    try {
      const loaded = await ask();
      const attributes = answerAttributes(loaded);
      if (!attributes) observe({ kind: 'shared-cache', outcome: 'too-large' });
      await this.#store(token, attributes ?? {}, '#refusal, #refusalUntil');
      return loaded;
    } catch (error) {
      await this.#store(token, refusalAttributes(error, errors, this.#now(), this.row) ?? {});
      throw error;
    } finally {
      stop();
    }
  }

  /** Writes what came of asking and gives up the lease, if it is still this instance's. */
  async #store(token: string, attributes: Record<string, Value>, outdated?: string): Promise<void> {
    const all = { ...attributes, version: token };
    const set = Object.keys(all).map((name) => `#${name} = :${name}`);
    const values = Object.fromEntries(Object.entries(all).map(([name, value]) => [`:${name}`, value]));
    try {
      await this.#options.table.update(this.#key, {
        update: `SET ${set.join(', ')} REMOVE #lease, #leaseUntil${outdated ? `, ${outdated}` : ''}`,
        condition: '#lease = :version',
        values,
      });
    } catch (error) {
      // The answer is there all the same; the others find the lease run out.
      if (!(error instanceof TableUnavailable)) throw error;
    }
  }
}

function expiresAtOf(row: Row | undefined): number {
  return numberIn(row, EXPIRY_ATTRIBUTE) ?? 0;
}
