/** The past of a simulated market as own history has it: made when it is asked for, and kept from then on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HISTORY_PREFIX } from '../../shared/marketdata/store/names.ts';
import type { StoredObjects } from '../object-folder.ts';
import type { World } from '../provider/index.ts';
import type { Listings } from './listings.ts';
import { SimulatedPast } from './past.ts';

/** Coins whose hours are made before others get a turn: some 10 ms. */
const COINS_A_TURN = 50;

/**
 * Objects that begin with the past, up to when this was made. What is there already is kept, and gets what passed while
 * nothing ran. No list shows an object that nobody has asked for.
 */
export class SeededHistory implements StoredObjects {
  readonly #objects: StoredObjects;
  readonly #past: SimulatedPast;
  readonly #beginning: string;
  /** Objects that have all of the past. */
  readonly #whole = new Set<string>();

  /** Without listings no exchange has told anything. */
  constructor(objects: StoredObjects, bucket: string, world: World, listings?: Listings) {
    this.#objects = objects;
    this.#past = new SimulatedPast(world, listings);
    this.#beginning = `/${bucket}/${HISTORY_PREFIX}`;
  }

  get(path: string): Buffer | undefined {
    const stored = this.#objects.get(path);
    if (this.#whole.has(path) || !path.startsWith(this.#beginning)) return stored;
    const name = decodeURIComponent(path.slice(this.#beginning.length));
    const whole = this.#past.file(name, stored);
    if (whole) this.#objects.set(path, whole);
    if (whole || stored) this.#whole.add(path);
    return whole ?? stored;
  }

  set(path: string, content: Buffer): void {
    this.#objects.set(path, content);
  }

  keys(beginning?: string): Iterable<string> {
    return this.#objects.keys(beginning);
  }

  [Symbol.iterator](): Iterator<[string, Buffer]> {
    return this.#objects[Symbol.iterator]();
  }

  /** Makes the running day's hours before anybody asks, and a few coins at a time. */
  async prepare(signal: AbortSignal): Promise<void> {
    const path = this.#beginning + this.#past.runningDay;
    let coins = 0;
    for (const _ of this.#past.prepare(this.#objects.get(path))) {
      if (coins % COINS_A_TURN === 0) await nextTurn();
      if (signal.aborted || this.#whole.has(path)) return;
      coins += 1;
    }
    this.get(path);
  }
}
