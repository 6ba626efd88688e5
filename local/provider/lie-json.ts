/** Tools of the lies: changes in the JSON of a proper answer, whichever route it is of. */
import { seedOf, uniform } from './hash.ts';
import { isoSeconds } from './time.ts';

export type Row = Readonly<Record<string, unknown>>;
/** Every answer of the simulation in JSON is an object or a list of objects. */
export type Json = Row | readonly Row[];

export const PRICES = ['price', 'open', 'high', 'low', 'close', 'ath_price'];
export const AMOUNTS = ['volume', 'volume_24h', 'market_cap'];
/** The times that say when the figures were; those of a coin's first trade and of its peak are no part of that. */
const TIMES = ['last_updated', 'timestamp', 'time_open', 'time_close'];

export function isList(json: Json): json is readonly Row[] {
  return Array.isArray(json);
}

/** True of a list of candles or of a price history. */
export function isHistory(json: Json): json is readonly Row[] {
  return isList(json) && json.some((row) => 'time_open' in row || 'timestamp' in row);
}

/** Changes each row of a list; an object counts as the only row. */
export function eachRow(json: Json, change: (row: Row, index: number) => Row): Json {
  return isList(json) ? json.map(change) : change(json, 0);
}

/** Changes the fields of these names, at whatever depth; `undefined` takes a field away. */
function withFields<T extends Json>(
  json: T,
  names: readonly string[],
  change: (value: unknown) => unknown,
): T {
  const changed: unknown = JSON.parse(JSON.stringify(json), (name, value: unknown) =>
    names.includes(name) ? change(value) : value,
  );
  return changed as T; // a list or an object, as before
}

export function withNumbers<T extends Json>(
  json: T,
  names: readonly string[],
  change: (value: number) => unknown,
): T {
  return withFields(json, names, (value) => (typeof value === 'number' ? change(value) : value));
}

export function withTexts<T extends Json>(
  json: T,
  names: readonly string[],
  change: (value: string) => string,
): T {
  return withFields(json, names, (value) => (typeof value === 'string' ? change(value) : value));
}

/** The same order for the same number of rows, and never the one before if there are two or more. */
export function inAnotherOrder(rows: readonly Row[]): readonly Row[] {
  const seed = seedOf('another order');
  return rows
    .map((row, index) => ({ row, place: uniform(seed, index) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ row }) => row);
}

/** Gives every row the field of the row below it, and the last row that of the first. */
export function withColumnMoved(json: Json, name: string): Json {
  if (!isList(json)) return json;
  return json.map((row, index) =>
    name in row ? { ...row, [name]: json[(index + 1) % json.length]?.[name] } : row,
  );
}

/** The times of a row or of all rows, in milliseconds; none of a coin list. */
export function timesOf(json: Json): number[] {
  return [json]
    .flat()
    .flatMap((row) => TIMES.flatMap((name) => (name in row ? [Date.parse(String(row[name]))] : [])));
}

/** Moves every time by the same milliseconds. */
export function withTimesMoved(json: Json, ms: number): Json {
  return withTexts(json, TIMES, (text) => isoSeconds(Date.parse(text) + ms));
}
