/** Files of many coins' candles: the hours of a day, and the shards (days of a year, hours of a month). */
import { HOUR_MS } from '../../platform/time.ts';
import { type FileFormat, StoreError, signatureOf } from '../binary-file.ts';
import { type CoveredSeries, readSeries } from './candle-rows.ts';
import { versions } from './names.ts';
import { openRow, openRows, openTable, type Rows, type RowTable } from './rows.ts';
import type { StoredCandle } from './stored-candle.ts';

/**
 * A file of rows (`rows.ts`), each a coin's series (`candle-rows.ts`). Its text is JSON with the names of the candles' sources.
 */
export const candleFormat: FileFormat = {
  signature: signatureOf('CNDL'),
  version: versions.candles,
  name: 'Candles',
  error: StoreError,
};

/** A file's content besides its rows. */
export interface AboutCandles {
  /** The beginning of a day of hours, or the end of a shard's newest day. Milliseconds since the epoch. */
  readonly time: number;
  /** Seconds between two samples of a day; 0 for a shard. */
  readonly intervalSeconds: number;
  /** The sources of all candles of a day; each candle has its own. */
  readonly source: string;
  /** The names that candles refer to by position. */
  readonly sources: readonly string[];
}

/** The places of coins in a file. */
export interface CandleTable extends AboutCandles, Pick<RowTable, 'rangeOf' | 'text' | 'bytes'> {}

/** A whole file. */
export interface CandleFile extends AboutCandles {
  readonly rows: Rows;
}

/** Throws StoreError, also if a single row is damaged: a job that went on without it would replace it by less. */
export function openCandles(bytes: Uint8Array): CandleFile {
  const rows = openRows(candleFormat, bytes);
  if (rows.damaged.length > 0) throw new StoreError(`Candles: damaged rows of ${rows.damaged.join(', ')}`);
  return { ...about(rows), rows };
}

/**
 * The table, from the file's first bytes (`requested` of them); the number of bytes that it needs, if that is more. Throws
 * StoreError.
 */
export function openCandleTable(bytes: Uint8Array, requested: number): CandleTable | number {
  const table = openTable(candleFormat, bytes, requested);
  if (typeof table === 'number') return table;
  const { rangeOf, text } = table;
  return { ...about(table), rangeOf, text, bytes: table.bytes };
}

/** A coin's series of `stepMs` from its row. Throws StoreError, also for the row of another coin or table. */
export function openCandleRow(
  table: Pick<CandleTable, 'text' | 'sources'>,
  bytes: Uint8Array,
  id: string,
  stepMs: number,
): CoveredSeries {
  return readSeries(openRow(candleFormat, table, bytes, id), stepMs, table.sources);
}

function about({ header, text }: Pick<RowTable, 'header' | 'text'>): AboutCandles {
  const { sources } = JSON.parse(text) as Pick<AboutCandles, 'sources'>; // as `candle-files-writer.ts` writes it
  return { time: header.time, intervalSeconds: header.seconds, source: header.source, sources };
}

/** The hours of a day. */
export interface DayOfHours {
  /** Its beginning, milliseconds since the epoch. */
  readonly day: number;
  readonly intervalSeconds: number;
  /** The sources of all of them; each candle has its own. */
  readonly source: string;
  /** Ascending, at least one each. */
  readonly coins: ReadonlyMap<string, readonly StoredCandle[]>;
}

/** The bytes that `encodeHours` makes. Throws StoreError. */
export function openHours(bytes: Uint8Array): DayOfHours {
  return hoursIn(openCandles(bytes));
}

/** The candles of all coins of a day. */
export function hoursIn({ time, intervalSeconds, source, sources, rows }: CandleFile): DayOfHours {
  const coins = new Map<string, readonly StoredCandle[]>();
  for (const [id, series] of rows.entries()) coins.set(id, readSeries(series, HOUR_MS, sources).candles);
  return { day: time, intervalSeconds, source, coins };
}
