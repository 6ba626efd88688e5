import { count } from '../../platform/metrics.ts';
import { DAY_MS } from '../../platform/time.ts';
import { Held } from './held.ts';
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

/** Those of 14,000 coins have 900 KB. */
const MAX_BYTES = 24 * 1024 * 1024;
const EMPTY_BYTES = 100;
const TIMEOUT_MS = 1_500;
/** A slot that is empty may be filled by a run that is late. */
const LOOK_AGAIN_MS = 60_000;

/** The samples that this container has read last, each slot once for all who want it at the same time. */
export class SampleSlots {
  readonly #reader: Options['reader'];
  readonly #tokenSources: readonly string[];
  /** By the names of their objects. */
  readonly #slots: Held<Samples | undefined>;

  constructor({ reader, now, tokenSources = [] }: Options) {
    this.#reader = reader;
    this.#tokenSources = tokenSources;
    this.#slots = new Held({
      maxBytes: MAX_BYTES,
      bytesOf: (samples) => samples?.bytes ?? EMPTY_BYTES,
      readMs: TIMEOUT_MS,
      now,
    });
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

  #of(time: number, intervalMs: number, tokenSource?: string): Promise<Samples | undefined> {
    return this.#slots.get(objectNames.samples(time, intervalMs, tokenSource), {
      read: async (signal) => {
        try {
          return await this.#reader.samples(time, intervalMs, signal, tokenSource);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          count('HistoryUnusable');
          return undefined;
        }
      },
      untilOf: (samples, now) => (samples ? Number.POSITIVE_INFINITY : now + LOOK_AGAIN_MS),
    });
  }
}
