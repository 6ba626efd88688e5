import {
  asBuffer,
  crc32,
  type FileFormat,
  HEADER_BYTES,
  headerOf,
  seal,
  signatureOf,
  unseal,
} from '../binary-file.ts';
import { CANDLE_BYTES, MAX_SOURCES, readCandle, writeCandle } from './candle-row.ts';
import { byId, encodeIds, openIds } from './id-table.ts';
import { StoreError } from './store-error.ts';
import type { StoredCandle } from './stored-candle.ts';

/**
 * A day's hours of all coins: the header of `binary-file.ts` (the day's beginning, seconds between two samples, the
 * source's name); where the rows begin (32 bits); the CRC-32 of the table that follows; the table of ids
 * (`id-table.ts`); the names of the candles' sources, in JSON, which belong to the table; for each coin, in its order, a
 * row of 1,256 bytes: the CRC-32 of the rest of it, the CRC-32 of the sources and the coin's id, and 24 candles
 * (`candle-row.ts`). So one read by range brings the table, and one more each coin that is wanted, each with a checksum
 * of its own, and a row is never read with the sources of another table. Version 1 has no list of sources: all candles
 * are of the header's, and a row has the CRC-32 of the id alone.
 */
const format: FileFormat = {
  signature: signatureOf('HOUR'),
  version: 2,
  olderVersion: 1,
  name: 'Hours of a day',
  error: StoreError,
};
const HOUR_MS = 3_600_000;
const HOURS = 24;
const TABLE_FROM = HEADER_BYTES + 8;
const CANDLES_FROM = 8;
const ROW_BYTES = CANDLES_FROM + HOURS * CANDLE_BYTES;

export interface DayOfHours {
  /** Its beginning, milliseconds since the epoch. */
  readonly day: number;
  readonly intervalSeconds: number;
  /** Of all of them; each candle has its own. */
  readonly source: string;
  /** Ascending, at least one each. */
  readonly coins: ReadonlyMap<string, readonly StoredCandle[]>;
}

/** Where the coins of a day are in its file. */
export interface HoursTable {
  readonly day: number;
  readonly intervalSeconds: number;
  readonly sources: Sources;
  /** The bytes of a coin's row, both inclusive as HTTP has them; undefined if it has none. */
  rangeOf(id: string): readonly [first: number, last: number] | undefined;
}

/** The names that candles have by their places, and the text of them in the file. */
interface Sources {
  readonly names: readonly string[];
  readonly text: string;
}

/** Throws an Error if there are more sources than a candle can name. */
export function encodeHours({ day, intervalSeconds, source, coins }: DayOfHours): Uint8Array {
  const rows = byId([...coins].map(([id, candles]) => ({ id, candles })));
  const names = [...new Set(rows.flatMap(({ candles }) => candles.map((candle) => candle.source)))].sort();
  if (names.length > MAX_SOURCES) throw new Error(`${format.name}: more than ${MAX_SOURCES} sources`);
  const text = JSON.stringify(names);
  const table = Buffer.concat([encodeIds(rows.map(({ id }) => id)), Buffer.from(text)]);
  const rowsFrom = TABLE_FROM + table.length;
  const file = Buffer.alloc(rowsFrom + rows.length * ROW_BYTES);
  file.writeUInt32LE(rowsFrom, HEADER_BYTES);
  file.writeUInt32LE(crc32(table), HEADER_BYTES + 4);
  table.copy(file, TABLE_FROM);
  for (const [index, { id, candles }] of rows.entries()) {
    const row = file.subarray(rowsFrom + index * ROW_BYTES, rowsFrom + (index + 1) * ROW_BYTES);
    row.writeUInt32LE(keyOf(id, text), 4);
    for (const candle of candles) {
      const hour = Math.round((candle.opensAt - day) / HOUR_MS);
      writeCandle(row, CANDLES_FROM + hour * CANDLE_BYTES, candle, names.indexOf(candle.source), HOUR_MS);
    }
    row.writeUInt32LE(crc32(row.subarray(4)), 0);
  }
  return seal(file, format, { rows: rows.length, time: day, seconds: intervalSeconds, source });
}

/** The whole file. Throws StoreError. */
export function openHours(bytes: Uint8Array): DayOfHours {
  const { file, ...header } = unseal(bytes, format);
  const { rows, time: day, seconds: intervalSeconds, source } = header;
  const rowsFrom = file.readUInt32LE(HEADER_BYTES);
  const table = file.subarray(TABLE_FROM, rowsFrom);
  const ids = openIds(table, rows);
  const { names } = sourcesIn(table.subarray(ids.bytes), header);
  const coins = Array.from({ length: rows }, (_, row) => {
    const from = rowsFrom + row * ROW_BYTES;
    return [ids.id(row), candlesIn(file.subarray(from, from + ROW_BYTES), day, names)] as const;
  });
  return { day, intervalSeconds, source, coins: new Map(coins) };
}

/**
 * The table, out of the file's beginning; the number of bytes that it needs, if these are too few. Throws StoreError.
 */
export function openHoursTable(bytes: Uint8Array): HoursTable | number {
  const beginning = asBuffer(bytes);
  const header = headerOf(beginning, format);
  const { rows, time: day, seconds: intervalSeconds } = header;
  if (beginning.length < TABLE_FROM) return TABLE_FROM;
  const rowsFrom = beginning.readUInt32LE(HEADER_BYTES);
  if (beginning.length < rowsFrom) return rowsFrom;
  const table = beginning.subarray(TABLE_FROM, rowsFrom);
  if (beginning.readUInt32LE(HEADER_BYTES + 4) !== crc32(table))
    throw new StoreError(`${format.name}: damaged table (wrong checksum)`);
  const ids = openIds(table, rows);
  return {
    day,
    intervalSeconds,
    sources: sourcesIn(table.subarray(ids.bytes), header),
    rangeOf(id) {
      const row = ids.find(id);
      if (row === undefined) return undefined;
      const from = rowsFrom + row * ROW_BYTES;
      return [from, from + ROW_BYTES - 1];
    },
  };
}

/** A coin's hours out of its row, ascending. Throws StoreError, also if it is the row of another coin. */
export function openHoursRow(
  bytes: Uint8Array,
  id: string,
  { day, sources }: Pick<HoursTable, 'day' | 'sources'>,
): StoredCandle[] {
  const row = asBuffer(bytes);
  const isWhole = row.length === ROW_BYTES && row.readUInt32LE(0) === crc32(row.subarray(4));
  if (!isWhole) throw new StoreError(`${format.name}: damaged row (wrong checksum)`);
  if (row.readUInt32LE(4) !== keyOf(id, sources.text))
    throw new StoreError(`${format.name}: another coin’s row in place of ${id}`);
  return candlesIn(row, day, sources.names);
}

function sourcesIn(bytes: Buffer, { version, source }: { version: number; source: string }): Sources {
  if (version === format.olderVersion) return { names: [source], text: '' };
  const text = bytes.toString();
  return { names: JSON.parse(text) as string[], text }; // written above, and checked by its checksum
}

function keyOf(id: string, sources: string): number {
  return crc32(Buffer.from(sources + id));
}

function candlesIn(row: Buffer, day: number, sources: readonly string[]): StoredCandle[] {
  return Array.from({ length: HOURS }, (_, hour) => {
    const start = CANDLES_FROM + hour * CANDLE_BYTES;
    return readCandle(row, start, day + hour * HOUR_MS, HOUR_MS, sources);
  }).filter((candle) => candle !== undefined);
}
