import { ByteCache } from '../../platform/caches.ts';
import { Held } from '../../platform/held.ts';
import { count } from '../../platform/metrics.ts';
import { DAY_MS } from '../../platform/time.ts';
import { StoreError } from '../binary-file.ts';
import { KEPT_DAYS, objectNames } from './names.ts';
import type { HistoryReader } from './reader.ts';
import type { Samples } from './samples.ts';

/** Single samples are deleted after this time; by then they are part of hours. */
export const SAMPLES_KEPT_MS = KEPT_DAYS * DAY_MS;

interface Options {
  readonly reader: Pick<HistoryReader, 'samples'>;
  readonly now: () => number;
  /** Sources of samples besides the snapshot's job; the preferred one first. */
  readonly tokenSources?: readonly string[];
}

/** A slot's samples of 14,000 coins take 900 KB. */
const MAX_BYTES = 24 * 1024 * 1024;
const EMPTY_BYTES = 100;
const TIMEOUT_MS = 1_500;
/** A late run may still fill an empty slot. */
const LOOK_AGAIN_MS = 60_000;

/** The samples that this container read last; concurrent readers share one read of a slot. */
export class SampleSlots {
  readonly #reader: Options['reader'];
  readonly #tokenSources: readonly string[];
  /** The samples by the names of their objects. */
  readonly #slots: Held<Samples | undefined>;

  constructor({ reader, now, tokenSources = [] }: Options) {
    this.#reader = reader;
    this.#tokenSources = tokenSources;
    this.#slots = new Held({
      cache: new ByteCache(MAX_BYTES, ({ value }) => value?.bytes ?? EMPTY_BYTES),
      readMs: TIMEOUT_MS,
      rests: () => false,
      now,
    });
  }

  /**
   * The samples of the slot that contains the time (ms since the epoch); undefined if there are none, or none that are usable.
   * Throws S3Error and TransportError if the store is unreachable.
   */
  at(time: number, intervalMs: number): Promise<Samples | undefined> {
    return this.#of(time, intervalMs);
  }

  /** The samples in the same slot of the first source of token prices that has the coin. Throws as `at` does. */
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
