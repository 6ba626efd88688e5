import { type ByteRange, ifMissing, type Objects, objectsOf } from '../../platform/objects.ts';
import { type CandleTable, openCandleRow, openCandleTable } from './candle-files.ts';
import type { CoveredSeries } from './candle-rows.ts';
import { HISTORY_PREFIX, objectNames } from './names.ts';
import { openSamples, type Samples } from './samples.ts';

/**
 * The stored history. Undefined for missing objects. Throws StoreError for an object that cannot be used, S3Error for a refusal of
 * S3, and TransportError if it does not respond.
 */
export interface HistoryReader {
  /** The table of a file of candles, valid until a row contradicts it. */
  table(name: string, signal: AbortSignal): Promise<CandleTable | undefined>;
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
  const part = async (name: string, range: ByteRange, signal: AbortSignal) =>
    (await objects.getRange(name, range, signal).catch(ifMissing))?.bytes;

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
      const object = await objects.get(name, signal).catch(ifMissing);
      return object && openSamples(object.bytes);
    },
  };
}

/** Reads beyond the end of a file as nothing, which is then no table or a damaged row. */
function behindTheEnd(error: unknown): Uint8Array {
  if (error instanceof Error && error.name === 'InvalidRange') return Buffer.alloc(0);
  throw error;
}
