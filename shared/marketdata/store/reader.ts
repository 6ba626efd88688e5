import {
  type ByteRange,
  ifMissing,
  type Objects,
  objectsOf,
  type StoredObject,
} from '../../platform/objects.ts';
import { type CandleTable, openCandleRow, openCandleTable } from './candle-files.ts';
import type { CoveredSeries } from './candle-rows.ts';
import { HISTORY_PREFIX, objectNames } from './names.ts';
import { openSamples, type Samples } from './samples.ts';

/** A file's table, with the ETag of the file that it was read from. */
export interface ReadTable extends CandleTable {
  readonly etag: string | undefined;
}

/**
 * The stored history. Undefined for missing objects. Throws StoreError for an object that cannot be used, S3Error for a refusal of
 * S3, and TransportError if it does not respond.
 */
export interface HistoryReader {
  /** The table of a file of candles; `held` itself if the file has not changed. */
  table(name: string, signal: AbortSignal, held?: ReadTable): Promise<ReadTable | undefined>;
  /** A coin's candles of `stepMs`. Throws StoreError if the row has moved. */
  series(
    name: string,
    table: CandleTable,
    row: CoinRow,
    signal: AbortSignal,
  ): Promise<CoveredSeries | undefined>;
  /**
   * The samples of a time's slot (ms since the epoch), from the snapshot's job or the named token price source.
   */
  samples(
    time: number,
    intervalMs: number,
    signal: AbortSignal,
    tokenSource?: string,
  ): Promise<Samples | undefined>;
}

interface CoinRow {
  readonly id: string;
  readonly stepMs: number;
}

/** Enough for the table of some 2,500 coins, in one read. */
const TABLE_GUESS_BYTES = 64 * 1024;

/** Opens the history in an S3 bucket. */
export function historyReader(bucket: string): HistoryReader {
  return historyIn(objectsOf(bucket, HISTORY_PREFIX));
}

/** The history in any `Objects`. */
export function historyIn(objects: Pick<Objects, 'get' | 'getRange'>): HistoryReader {
  const part = (name: string, range: ByteRange, signal: AbortSignal, etag?: string) =>
    objects.getRange(name, range, signal, etag).catch(behindTheEnd);

  return {
    async table(name, signal, held) {
      try {
        for (let needed = TABLE_GUESS_BYTES; ; ) {
          const beginning = await part(name, [0, needed - 1], signal, held?.etag);
          if (!beginning) return held;
          const table = openCandleTable(beginning.bytes, needed);
          if (typeof table !== 'number') return { ...table, etag: beginning.etag };
          needed = table;
        }
      } catch (error) {
        return ifMissing(error);
      }
    },
    async series(name, table, { id, stepMs }, signal) {
      const range = table.rangeOf(id);
      const row = range && (await part(name, range, signal).catch(ifMissing));
      return row && openCandleRow(table, row.bytes, id, stepMs);
    },
    async samples(time, intervalMs, signal, tokenSource) {
      const name = objectNames.samples(time, intervalMs, tokenSource);
      const object = await objects.get(name, signal).catch(ifMissing);
      return object && openSamples(object.bytes);
    },
  };
}

/** Reads beyond the end of a file as nothing, which is then no table or a damaged row. */
function behindTheEnd(error: unknown): StoredObject {
  if (error instanceof Error && error.name === 'InvalidRange')
    return { bytes: Buffer.alloc(0), etag: undefined };
  throw error;
}
