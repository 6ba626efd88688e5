import { putBounded } from '../../platform/bounded-map.ts';
import { count } from '../../platform/metrics.ts';
import type { HistoryReader } from './reader.ts';
import type { Samples } from './sample-file.ts';
import { StoreError } from './store-error.ts';

/** Single samples are deleted after that; by then they are hours. */
export const SAMPLES_KEPT_MS = 35 * 86_400_000;

interface Slot {
  readonly samples: Promise<Samples | undefined>;
  readonly readAt: number;
  /** Milliseconds since the epoch. */
  until: number;
}

interface Options {
  readonly reader: Pick<HistoryReader, 'samples'>;
  readonly now: () => number;
}

/** One of 14,000 coins has 700 KB. */
const MAX_SLOTS = 24;
const TIMEOUT_MS = 1_500;
/** A slot that is empty may be filled by a run that is late. */
const LOOK_AGAIN_MS = 60_000;

/** The samples that this container has read last, each slot once for all who want it at the same time. */
export class SampleSlots {
  readonly #reader: Options['reader'];
  readonly #now: () => number;
  readonly #slots = new Map<number, Slot>();

  constructor({ reader, now }: Options) {
    this.#reader = reader;
    this.#now = now;
  }

  /**
   * The samples of the slot in which the time is (ms since the epoch); undefined if there are none, or none that can be
   * used. Throws S3Error and TransportError if the store cannot be asked.
   */
  async at(time: number, intervalMs: number): Promise<Samples | undefined> {
    const key = Math.floor(time / intervalMs) * intervalMs;
    const now = this.#now();
    const known = this.#slots.get(key);
    // A clock that was set back must not keep an empty slot for longer.
    if (known && now < known.until && now >= known.readAt) return known.samples;
    const slot: Slot = {
      samples: this.#read(key, intervalMs),
      readAt: now,
      until: Number.POSITIVE_INFINITY,
    };
    putBounded(this.#slots, key, slot, MAX_SLOTS);
    try {
      const samples = await slot.samples;
      if (!samples) slot.until = now + LOOK_AGAIN_MS;
      return samples;
    } catch (error) {
      slot.until = Number.NEGATIVE_INFINITY;
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
