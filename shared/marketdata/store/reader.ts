import { type ByteRange, nothingYet, type Objects, objectsOf } from '../../platform/objects.ts';
import { type CandleTable, openCandleRow, openCandleTable } from './candle-files.ts';
import type { CoveredSeries } from './candle-rows.ts';
import { HISTORY_PREFIX, objectNames } from './names.ts';
import { openSamples, type Samples } from './samples.ts';

/**
 * Our own history. Undefined for what is not stored. Throws StoreError for an object that cannot be used, S3Error for
 * what S3 answers against a request, and TransportError if it does not answer.
 */
export interface HistoryReader {
  /** Where the coins of a file of candles are; good for all of them until a row says otherwise. */
  table(name: string, signal: AbortSignal): Promise<CandleTable | undefined>;
  /** A coin's candles of `stepMs`. A row that is no longer where the table says throws StoreError. */
  series(
    name: string,
    table: CandleTable,
    row: CoinRow,
    signal: AbortSignal,
  ): Promise<CoveredSeries | undefined>;
  /**
   * The samples of the slot in which the time is (ms since the epoch); those of the snapshot's job, unless a source of
   * token prices is named.
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

/** The history in objects, wherever they lie. */
export function historyIn(objects: Pick<Objects, 'get' | 'getRange'>): HistoryReader {
  const part = async (name: string, range: ByteRange, signal: AbortSignal) =>
    (await objects.getRange(name, range, signal).catch(nothingYet))?.bytes;

  return {
    async table(name, signal) {
      let needed = TABLE_GUESS_BYTES;
      for (;;) {
        const beginning = await part(name, [0, needed - 1], signal).catch(behindTheEnd);
        if (!beginning) return undefined;
        const table = openCandleTable(beginning, needed);
        if (typeof table !== 'number') return table;
        needed = table;
      }
    },
    async series(name, table, { id, stepMs }, signal) {
      const range = table.rangeOf(id);
      const row = range && (await part(name, range, signal).catch(behindTheEnd));
      return row && openCandleRow(table, row, id, stepMs);
    },
    async samples(time, intervalMs, signal, tokenSource) {
      const name = objectNames.samples(time, intervalMs, tokenSource);
      const object = await objects.get(name, signal).catch(nothingYet);
      return object && openSamples(object.bytes);
    },
  };
}

/** A file that is empty, or shorter than its table says, has nothing there: that is no table, and a damaged row. */
function behindTheEnd(error: unknown): Uint8Array {
  if (error instanceof Error && error.name === 'InvalidRange') return Buffer.alloc(0);
  throw error;
}
