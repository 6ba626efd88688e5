import { HOUR_MS } from '../../platform/time.ts';
import { signatureOf } from '../binary-file.ts';
import { CANDLE_BYTES, MAX_SOURCES, readCandle, writeCandle } from './candle-row.ts';
import { versions } from './names.ts';
import { encodeRows, openRow, openRows, openRowTable, type RowFormat, type RowTable } from './row-file.ts';
import { StoreError } from './store-error.ts';
import type { StoredCandle } from './stored-candle.ts';

const HOURS = 24;

/**
 * A day's hours of all coins: a file of rows (`row-file.ts`; the day's beginning, seconds between two samples, the
 * source's name), with the names of the candles' sources, in JSON, as the text of its table, and 24 candles
 * (`candle-row.ts`) in each row.
 */
const format: RowFormat = {
  signature: signatureOf('HOUR'),
  version: versions.hours,
  name: 'Hours of a day',
  error: StoreError,
  contentBytes: HOURS * CANDLE_BYTES,
};

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
export interface HoursTable extends Pick<RowTable, 'rangeOf' | 'text'> {
  readonly day: number;
  readonly intervalSeconds: number;
  /** The names that candles have by their places. */
  readonly sources: readonly string[];
}

/** Throws an Error if there are more sources than a candle can name. */
export function encodeHours({ day, intervalSeconds, source, coins }: DayOfHours): Uint8Array {
  const rows = Array.from(coins, ([id, candles]) => ({ id, candles }));
  const found = new Set<string>();
  for (const { candles } of rows) for (const candle of candles) found.add(candle.source);
  const names = [...found].sort();
  if (names.length > MAX_SOURCES) throw new Error(`${format.name}: more than ${MAX_SOURCES} sources`);
  return encodeRows(format, {
    header: { time: day, seconds: intervalSeconds, source },
    text: JSON.stringify(names),
    rows,
    write(content, { candles }) {
      for (const candle of candles) {
        const hour = Math.round((candle.opensAt - day) / HOUR_MS);
        writeCandle(content, hour * CANDLE_BYTES, candle, names.indexOf(candle.source), HOUR_MS);
      }
    },
  });
}

/** The whole file. Throws StoreError. */
export function openHours(bytes: Uint8Array): DayOfHours {
  const { header, text, rows } = openRows(format, bytes);
  const { time: day, seconds: intervalSeconds, source } = header;
  const sources = sourcesIn(text);
  const coins = new Map(rows.map(([id, content]) => [id, candlesIn(content, day, sources)]));
  return { day, intervalSeconds, source, coins };
}

/**
 * The table, out of the file's first bytes, of which so many were requested; the number of bytes that it needs, if that
 * is more. Throws StoreError.
 */
export function openHoursTable(bytes: Uint8Array, requested: number): HoursTable | number {
  const table = openRowTable(format, bytes, requested);
  if (typeof table === 'number') return table;
  const { header, text } = table;
  const { time: day, seconds: intervalSeconds } = header;
  return { ...table, day, intervalSeconds, sources: sourcesIn(text) };
}

/** A coin's hours out of its row, ascending. Throws StoreError, also if it is the row of another coin. */
export function openHoursRow(
  bytes: Uint8Array,
  id: string,
  { day, sources, text }: Pick<HoursTable, 'day' | 'sources' | 'text'>,
): StoredCandle[] {
  return candlesIn(openRow(format, bytes, id, text), day, sources);
}

function sourcesIn(text: string): readonly string[] {
  return JSON.parse(text) as string[]; // written above, and checked by its checksum
}

function candlesIn(content: Buffer, day: number, sources: readonly string[]): StoredCandle[] {
  return Array.from({ length: HOURS }, (_, hour) => {
    const start = hour * CANDLE_BYTES;
    return readCandle(content, start, day + hour * HOUR_MS, HOUR_MS, sources);
  }).filter((candle) => candle !== undefined);
}
