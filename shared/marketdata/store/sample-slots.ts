import { putBounded } from '../../platform/bounded-map.ts';
import { count } from '../../platform/metrics.ts';
import { DAY_MS } from '../../platform/time.ts';
import { KEPT_DAYS, objectNames } from './names.ts';
import type { HistoryReader } from './reader.ts';
import type { Samples } from './samples.ts';
import { StoreError } from './store-error.ts';

/** Single samples are deleted after that; by then they are hours. */
export const SAMPLES_KEPT_MS = KEPT_DAYS * DAY_MS;

interface Options {
  readonly reader: Pick<HistoryReader, 'samples'>;
  readonly now: () => number;
  /** Whose samples there may be besides those of the snapshot's job; the preferred one first. */
  readonly tokenSources?: readonly string[];
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
  readonly #tokenSources: readonly string[];
  /** By the names of their objects. */
  readonly #slots = new Map<string, Promise<Samples | undefined>>();
  /** When each was looked for; milliseconds since the epoch. */
  readonly #empty = new Map<string, number>();

  constructor({ reader, now, tokenSources = [] }: Options) {
    this.#reader = reader;
    this.#now = now;
    this.#tokenSources = tokenSources;
  }

  /**
   * The samples of the slot in which the time is (ms since the epoch); undefined if there are none, or none that can be
   * used. Throws S3Error and TransportError if the store cannot be asked.
   */
  at(time: number, intervalMs: number): Promise<Samples | undefined> {
    return this.#of(time, intervalMs);
  }

  /** The first samples of a source of token prices that have the coin, of the same slot. Throws as `at` does. */
  async tokensAt(id: string, time: number, intervalMs: number): Promise<Samples | undefined> {
    for (const source of this.#tokenSources) {
      const samples = await this.#of(time, intervalMs, source);
      if (samples?.of(id)) return samples;
    }
    return undefined;
  }

  async #of(time: number, intervalMs: number, tokenSource?: string): Promise<Samples | undefined> {
    const slot = objectNames.samples(time, intervalMs, tokenSource);
    const emptyForMs = this.#now() - (this.#empty.get(slot) ?? Number.NEGATIVE_INFINITY);
    // A clock that was set back must not keep a slot empty for longer.
    if (emptyForMs >= 0 && emptyForMs < LOOK_AGAIN_MS) return undefined;
    const known = this.#slots.get(slot);
    if (known) return known;
    const reading = this.#read(time, intervalMs, tokenSource);
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

  async #read(time: number, intervalMs: number, tokenSource?: string): Promise<Samples | undefined> {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return await this.#reader.samples(time, intervalMs, signal, tokenSource);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      count('HistoryUnusable');
      return undefined;
    }
  }
}
