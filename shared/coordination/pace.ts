import type { MarketDataProvider } from '../marketdata/provider.ts';
import type { Environment } from '../platform/environment.ts';
import {
  EXPIRY_ATTRIBUTE,
  expiryAt,
  numberIn,
  type Row,
  rowKey,
  type SharedTable,
  TableUnavailable,
  textIn,
  type Updated,
} from './table.ts';

interface Options {
  readonly provider: string;
  /** The weight of all instances' requests in a second. */
  readonly perSecond: number;
  /** None: nobody else asks the provider. */
  readonly table?: SharedTable | undefined;
  readonly now?: () => number;
}

type Paced = Pick<MarketDataProvider, 'name' | 'limits'>;

/** A time of the provider's that is one instance's alone, in milliseconds since the epoch. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
}

/** One write pays for the requests of so long. With longer blocks, three busy instances would wait for too long. */
const BLOCK_MS = 5_000;
/** A first block, unless more are waiting than fit in. Each one that follows at once is twice as long. */
const FIRST_BLOCK_MS = 1_000;
/** By so much the clocks of two instances may differ. */
const CLOCKS_MS = 2_000;
/** An instance that starts later than its turn by more stood still meanwhile: the turn is another's by now. */
const LATE_MS = 250;
/** Without the table nobody knows how many others ask. */
const BLIND_SHARE = 0.25;
const KEEP_MS = 3_600_000;
/** Nobody waits for so long: a row that says so was written by a wrong clock. */
const FARTHEST_MS = 120_000;
/** More instances than this do not reserve at the same moment. */
const MAX_TRIES = 10;

/**
 * One pace for all instances: a row for each provider says until when its time is taken (`until`) and by whom (`by`).
 * An instance reserves a block of time that follows, and spreads its requests evenly over it.
 */
export class Pace {
  readonly #options: Required<Omit<Options, 'table'>> & Pick<Options, 'table'>;
  readonly #key: string;
  readonly #id = crypto.randomUUID();
  #block: Block | undefined;
  /** When the next request of the block may start. */
  #next = 0;
  #blockMs = FIRST_BLOCK_MS;
  /** The weight of the requests that have no turn yet. */
  #waiting = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: Options) {
    this.#options = { now: Date.now, ...options };
    this.#key = rowKey(options.provider, 'pace');
  }

  /** True when it is the turn of a request; false, at once, if that would be in more than `maxWaitMs`. */
  async mayStart(maxWaitMs: number, weight = 1): Promise<boolean> {
    const { now } = this.#options;
    const latest = now() + maxWaitMs;
    for (;;) {
      this.#waiting += weight;
      const turn = await this.#inOrder(() => this.#turn(latest, weight)).finally(() => {
        this.#waiting -= weight;
      });
      if (turn === undefined) return false;
      const waitMs = turn - now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (now() <= turn + LATE_MS) return true;
    }
  }

  /** One after the other, so that those who wait reserve one block together. */
  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** When a request may start; undefined, and no place taken, if that is after `latest`. */
  async #turn(latest: number, weight: number): Promise<number | undefined> {
    const held = this.#take(latest, weight);
    if (held !== 'used up') return held;
    const isBusy = this.#block !== undefined && this.#options.now() < this.#block.to + FIRST_BLOCK_MS;
    this.#blockMs = isBusy ? Math.min(2 * this.#blockMs, BLOCK_MS) : FIRST_BLOCK_MS;
    // Once more if the table took so long that most of the block is over; the second one begins after it.
    for (let tries = 0; tries < 2; tries += 1) {
      const block = await this.#reserve(latest, weight);
      if (!block) return undefined;
      this.#block = block;
      this.#next = block.from;
      const turn = this.#take(latest, weight);
      if (turn !== 'used up') return turn;
    }
    return undefined;
  }

  /** A turn in the block at hand. */
  #take(latest: number, weight: number): number | 'used up' | undefined {
    if (!this.#block) return 'used up';
    const { to, perSecond } = this.#block;
    const turn = Math.max(this.#next, this.#options.now());
    const next = turn + (weight / perSecond) * 1000;
    if (turn >= to || next > to + LATE_MS) return 'used up';
    if (turn > latest) return undefined;
    this.#next = next;
    return turn;
  }

  /** Undefined, and nothing taken, if it would begin after `latest`. */
  async #reserve(latest: number, weight: number): Promise<Block | undefined> {
    const { table, perSecond } = this.#options;
    if (!table) return this.#ownBlock(latest, weight, perSecond);
    try {
      return await this.#sharedBlock(table, latest, weight);
    } catch (error) {
      if (!(error instanceof TableUnavailable)) throw error;
      return this.#ownBlock(latest, weight, perSecond * BLIND_SHARE);
    }
  }

  #ownBlock(latest: number, weight: number, perSecond: number): Block | undefined {
    const from = Math.max(this.#options.now(), this.#next);
    return from > latest ? undefined : { from, to: from + this.#lengthFor(weight, perSecond), perSecond };
  }

  async #sharedBlock(table: SharedTable, latest: number, weight: number): Promise<Block | undefined> {
    const { perSecond, now } = this.#options;
    let row = await table.get(this.#key);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const until = numberIn(row, 'until') ?? 0;
      const from = Math.max(now(), this.#freeAt(row), this.#next);
      if (from > latest) return undefined;
      const to = Math.ceil(from + this.#lengthFor(weight, perSecond));
      const { applied, row: after } = await this.#write(table, until, to);
      if (applied || (textIn(after, 'by') === this.#id && numberIn(after, 'until') === to)) {
        return { from, to, perSecond };
      }
      row = after;
    }
    return undefined;
  }

  /** When the time that a row tells of is over. Another's clock may be behind: then it is over later than it seems. */
  #freeAt(row: Row | undefined): number {
    const until = numberIn(row, 'until') ?? 0;
    if (until > this.#options.now() + FARTHEST_MS) return 0;
    return textIn(row, 'by') === this.#id ? until : until + CLOCKS_MS;
  }

  #write(table: SharedTable, seen: number, until: number): Promise<Updated> {
    return table.update(this.#key, {
      update: `SET #until = :until, #by = :id, #${EXPIRY_ATTRIBUTE} = :expiry`,
      condition: seen === 0 ? 'attribute_not_exists(#until)' : '#until = :seen',
      values: {
        ':until': until,
        ':id': this.#id,
        ':expiry': expiryAt(until + KEEP_MS),
        ...(seen !== 0 && { ':seen': seen }),
      },
    });
  }

  #lengthFor(weight: number, perSecond: number): number {
    const timeOf = (load: number) => (load / perSecond) * 1000;
    return Math.max(timeOf(weight), this.#blockMs, Math.min(timeOf(this.#waiting), BLOCK_MS));
  }
}

const paces = new WeakMap<Environment, Map<string, Pace>>();

/** The container's pace towards a provider: one for all clients, which together are one instance to the others. */
export function paceOf(environment: Environment, { name, limits }: Paced, table?: SharedTable): Pace {
  const ofEnvironment = paces.get(environment) ?? new Map<string, Pace>();
  paces.set(environment, ofEnvironment);
  const pace =
    ofEnvironment.get(name) ?? new Pace({ provider: name, perSecond: limits.requestsPerSecond, table });
  ofEnvironment.set(name, pace);
  return pace;
}
