import { putBounded } from '../../platform/bounded-map.ts';
import { count } from '../../platform/metrics.ts';
import type { HistoryReader } from './reader.ts';
import type { Samples } from './sample-file.ts';
import { StoreError } from './store-error.ts';

/** Single samples are deleted after that; by then they are hours. */
export const SAMPLES_KEPT_MS = 35 * 86_400_000;

interface Options {
  readonly reader: Pick<HistoryReader, 'samples'>;
  readonly now: () => number;
}

/** One of 14,000 coins has 700 KB. */
const MAX_SLOTS = 24;
const MAX_EMPTY = 1_000;
const TIMEOUT_MS = 1_500;
/** A slot that is empty may be filled by a run that is late. */
const LOOK_AGAIN_MS = 60_000;

/** The samples that this container has read last, each slot once for all who want it at the same time. */
export class SampleSlots {
  readonly #reader: Options['reader'];
  readonly #now: () => number;
  readonly #slots = new Map<number, Promise<Samples | undefined>>();
  /** When each was looked for; milliseconds since the epoch. */
  readonly #empty = new Map<number, number>();

  constructor({ reader, now }: Options) {
    this.#reader = reader;
    this.#now = now;
  }

  /**
   * The samples of the slot in which the time is (ms since the epoch); undefined if there are none, or none that can be
   * used. Throws S3Error and TransportError if the store cannot be asked.
   */
  async at(time: number, intervalMs: number): Promise<Samples | undefined> {
    const slot = Math.floor(time / intervalMs) * intervalMs;
    const emptyForMs = this.#now() - (this.#empty.get(slot) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not keep a slot empty for longer.
    if (emptyForMs >= 0 && emptyForMs < LOOK_AGAIN_MS) return undefined;
    const known = this.#slots.get(slot);
    if (known) return known;
    const reading = this.#read(slot, intervalMs);
    putBounded(this.#slots, slot, reading, MAX_SLOTS);
    try {
      const samples = await reading;
      if (samples) return samples;
      putBounded(this.#empty, slot, this.#now(), MAX_EMPTY);
      this.#slots.delete(slot);
      return undefined;
    } catch (error) {
      this.#slots.delete(slot);
      throw error;
    }
  }

  async #read(slot: number, intervalMs: number): Promise<Samples | undefined> {
    try {
      return await this.#reader.samples(slot, intervalMs, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      count('HistoryUnusable');
      return undefined;
    }
  }
}
