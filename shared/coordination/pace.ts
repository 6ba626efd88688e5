import { type Change, numberIn, type Row, textIn, type Updated, unlessAvailable } from '../platform/table.ts';
import { MAX_INSTANCE_SKEW_MS } from '../platform/time.ts';

/** A time reserved by one instance, in milliseconds since the epoch. */
interface Block {
  readonly from: number;
  readonly to: number;
  readonly perSecond: number;
}

/**
 * The length of the block that one write reserves: a first block, unless more requests are waiting than fit, and a following one.
 * With longer blocks, three busy instances would wait too long.
 */
const BLOCK_MS = { first: 1_000, next: 5_000 };
/** An instance that starts later than this after its turn was frozen, and has lost the turn. */
const LATE_MS = 250;
/** The share of the pace without the table, when the number of other instances is unknown. */
const BLIND_SHARE = 0.25;
/** The longest plausible wait: a row beyond it was written by a wrong clock. */
const FARTHEST_MS = 120_000;
/** The most instances that reserve at the same moment. */
const MAX_TRIES = 10;

/**
 * One pace for all instances: a row says until when the source's time is reserved (`paceUntil`) and by which instance (`paceBy`). An
 * instance reserves the next block of time and spreads its requests evenly over it.
 */
export class Pace {
  readonly #perSecond: number;
  readonly #update: ((change: Change) => Promise<Updated>) | undefined;
  readonly #now: () => number;
  readonly #id = crypto.randomUUID();
  #row: Row | undefined;
  #block: Block | undefined;
  /** When the block's next request may start. */
  #next = 0;
  /** The weight of the requests without a turn. */
  #waiting = 0;
  #queue: Promise<unknown> = Promise.resolve();

  /** `perSecond` is the weight of all instances' requests. Without `update` there are no others. */
  constructor(perSecond: number, update?: (change: Change) => Promise<Updated>, now = Date.now) {
    this.#perSecond = perSecond;
    this.#update = update;
    this.#now = now;
  }

  /** Resolves to true when it is the request's turn; to false, immediately, if that is more than `maxWaitMs` away. */
  async mayStart(maxWaitMs: number, weight = 1): Promise<boolean> {
    const latest = this.#now() + maxWaitMs;
    for (;;) {
      this.#waiting += weight;
      // One after the other, so that waiting requests reserve one block together.
      const turning = this.#queue.then(() => this.#turn(latest, weight));
      this.#queue = turning.catch(() => {});
      const turn = await turning.finally(() => {
        this.#waiting -= weight;
      });
      if (turn === undefined) return false;
      const waitMs = turn - this.#now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (this.#now() <= turn + LATE_MS) return true;
    }
  }

  /** When a request may start; undefined, without taking a place, if that is after `latest`. */
  async #turn(latest: number, weight: number): Promise<number | undefined> {
    // A second block if the table took so long that most of the first is over.
    for (let blocks = 0; ; blocks += 1) {
      const turn = Math.max(this.#next, this.#now());
      const { to, perSecond } = this.#block ?? { to: 0, perSecond: 1 };
      const next = turn + (weight / perSecond) * 1000;
      if (turn < to && next <= to + LATE_MS) {
        if (turn > latest) return undefined;
        this.#next = next;
        return turn;
      }
      const block = blocks < 2 ? await this.#reserve(latest, weight) : undefined;
      if (!block) return undefined;
      this.#block = block;
      this.#next = block.from;
    }
  }

  /** Reserves the next block; undefined, without reserving, if it would begin after `latest`. */
  async #reserve(latest: number, weight: number): Promise<Block | undefined> {
    try {
      if (this.#update) return await this.#sharedBlock(this.#update, latest, weight);
      return this.#ownBlock(latest, weight, this.#perSecond);
    } catch (error) {
      unlessAvailable(error);
      return this.#ownBlock(latest, weight, this.#perSecond * BLIND_SHARE);
    }
  }

  #ownBlock(latest: number, weight: number, perSecond: number): Block | undefined {
    const from = Math.max(this.#now(), this.#next);
    return from > latest ? undefined : { from, to: from + this.#lengthFor(weight, perSecond), perSecond };
  }

  async #sharedBlock(
    update: (change: Change) => Promise<Updated>,
    latest: number,
    weight: number,
  ): Promise<Block | undefined> {
    const perSecond = this.#perSecond;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // The row may be outdated: then the condition fails, and the update returns the new one.
      const reserved = numberIn(this.#row, 'paceUntil');
      const from = Math.max(this.#now(), this.#freeAt(reserved), this.#next);
      if (from > latest) return undefined;
      const to = Math.ceil(from + this.#lengthFor(weight, perSecond));
      const { applied, row } = await update({
        set: { paceUntil: to, paceBy: this.#id },
        when: reserved === undefined ? { absent: 'paceUntil' } : ['paceUntil', '=', reserved],
      });
      this.#row = row;
      // A write repeated on a new connection finds itself.
      const isOwn = textIn(row, 'paceBy') === this.#id && numberIn(row, 'paceUntil') === to;
      if (applied || isOwn) return { from, to, perSecond };
    }
    return undefined;
  }

  /** When the row's reservation ends. If the other clock is behind, it ends later than it seems. */
  #freeAt(until = 0): number {
    if (until > this.#now() + FARTHEST_MS) return 0;
    return textIn(this.#row, 'paceBy') === this.#id ? until : until + MAX_INSTANCE_SKEW_MS;
  }

  #lengthFor(weight: number, perSecond: number): number {
    const timeOf = (load: number) => (load / perSecond) * 1000;
    const isBusy = this.#now() < (this.#block?.to ?? 0) + BLOCK_MS.first;
    const usualMs = isBusy ? BLOCK_MS.next : BLOCK_MS.first;
    return Math.max(timeOf(weight), usualMs, Math.min(timeOf(this.#waiting), BLOCK_MS.next));
  }
}

/** Allows at most `limit` starts in any second; others wait, or get false immediately if that takes more than `maxWaitMs`. */
export function throttle(limit: number) {
  const starts: number[] = [];

  return async (maxWaitMs: number): Promise<boolean> => {
    const time = performance.now();
    while ((starts[0] ?? time) <= time - 1_000) starts.shift();
    const nthBefore = starts.at(-limit);
    const turn = nthBefore === undefined ? time : Math.max(time, nthBefore + 1_000);
    if (turn - time > maxWaitMs) return false;
    starts.push(turn);
    if (turn > time) await new Promise((resolve) => setTimeout(resolve, turn - time));
    return true;
  };
}
