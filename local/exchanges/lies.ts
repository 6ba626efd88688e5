import { DAY_MS } from '../../shared/platform/time.ts';
import type { Answer } from '../provider/answer.ts';

type Json = unknown;
type Row = readonly Json[];

/** Where a lie gets another answer from. */
export interface Elsewhere {
  /** The proper answer at another time, so many milliseconds later. */
  again(ms: number): Answer;
  /** The proper answer about another market. */
  other(): Answer;
}

/** Changes the rows of candles, or of a chart's prices. */
type RowsLie = (rows: readonly Json[]) => readonly Json[];
/** Changes a price, wherever it stands. */
type PriceLie = (price: number, place: number) => Json;

const MANY_ROWS = 100_000;

const rowsLies = {
  /** Every second row before the one that it follows. */
  unordered: (rows) =>
    rows.map((_, index) => rows[index % 2 ? index - 1 : Math.min(index + 1, rows.length - 1)]),
  duplicates: (rows) => rows.flatMap((row) => [row, row]),
  /** The last row again and again. */
  many: (rows) => [...rows, ...Array(Math.max(MANY_ROWS - rows.length, 0)).fill(rows.at(-1))],
  emptied: () => [],
  halved: (rows) => rows.filter((_, index) => index % 2 === 0),
  /** Every second time in the other unit, seconds or milliseconds. */
  mixedtimes: (rows) => rows.map((row, index) => (index % 2 ? withTime(row, otherUnit) : row)),
  /** A year ahead. */
  future: (rows) => rows.map((row) => withTime(row, (time) => time + (365 * DAY_MS) / unitOf(time))),
  /** Rows that break off in the middle. */
  short: (rows) => rows.map((row) => (Array.isArray(row) ? row.slice(0, 3) : row)),
} as const satisfies Record<string, RowsLie>;

const priceLies = {
  scaled: (price) => price * 100,
  zero: () => 0,
  negative: (price) => -price,
  /** No JSON has a number that is none; the nearest to it is a word. */
  nan: () => 'NaN',
  noprice: () => null,
  /** Beyond a double. */
  giant: (price) => price * 1e300 * 1e10,
  words: (price) => `about ${price}`,
  /** One in ten is wrong. */
  onebad: (price, place) => (place % 10 === 5 ? -price : price),
  /** The high where the low should be. */
  impossible: (price, place) => price * (1 + (place % 4) / 10),
} as const satisfies Record<string, PriceLie>;

/** Whole answers that are of something else. */
const answerLies = {
  /** The figures of another market. */
  identity: (_proper, { other }) => other(),
  /** Two days old. */
  old: (_proper, { again }) => again(-2 * DAY_MS),
} as const satisfies Record<string, (proper: Answer, elsewhere: Elsewhere) => Answer>;

/** The lies that simulated exchanges can tell. */
export const lieNames: readonly string[] = [rowsLies, priceLies, answerLies].flatMap(Object.keys);

/** The answer that a lie makes of the proper one; errors are left alone. */
export function tell(name: string, proper: Answer, elsewhere: Elsewhere): Answer {
  if (proper.status !== 200) return proper;
  const [rows, price, whole] = [own(rowsLies, name), own(priceLies, name), own(answerLies, name)];
  if (whole) return whole(proper, elsewhere);
  const json: Json = JSON.parse(proper.body);
  if (rows) return { ...proper, body: JSON.stringify(withRows(json, rows)) };
  let place = 0;
  const changed = price && withPrices(json, (value) => price(value, place++));
  return price ? { ...proper, body: textOf(changed) } : proper;
}

function own<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined; // it is one of them
}

/** JSON has no infinity, but a number may be written that no double holds. */
function textOf(json: Json): string {
  return JSON.stringify(json, (_, value: unknown) => (value === Infinity ? '1e999' : value)).replaceAll(
    '"1e999"',
    '1e999',
  );
}

/** Candles are lists of lists, a chart's prices a list of `timestamp`s; wherever they are. */
function areRows(json: Json): json is readonly Json[] {
  return Array.isArray(json) && json.length > 0 && json.every((row) => isCandle(row) || isPoint(row));
}

function isCandle(row: Json): row is Row {
  return Array.isArray(row) && row.length >= 6 && typeof row[0] === 'number' && row[0] > 1e8;
}

function isPoint(row: Json): row is Readonly<Record<string, Json>> {
  return typeof row === 'object' && row !== null && 'timestamp' in row && 'price' in row;
}

function withRows(json: Json, change: RowsLie): Json {
  if (areRows(json)) return change(json);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withRows(value, change)]));
}

/** The fields that hold prices, by the names that the four protocols have for them; `c` is a list of two. */
const PRICES = new Set([
  'price',
  'lastPrice',
  'last',
  'bidPrice',
  'askPrice',
  'bid',
  'ask',
  'open',
  'high',
  'low',
]);

function withPrices(json: Json, change: (price: number) => Json): Json {
  if (isCandle(json))
    return json.map((value, index) => (index >= 1 && index <= 4 ? lied(value, change) : value));
  if (Array.isArray(json)) return json.map((value) => withPrices(value, change));
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([name, value]): [string, Json] => {
    if (name === 'c' && Array.isArray(value)) return [name, [lied(value[0], change), ...value.slice(1)]];
    return [name, PRICES.has(name) ? lied(value, change) : withPrices(value, change)];
  });
  return Object.fromEntries(entries);
}

/** A text stays one. */
function lied(value: Json, change: (price: number) => Json): Json {
  const isText = typeof value === 'string';
  if (typeof value === 'object' || !Number.isFinite(Number(value))) return value;
  const changed = change(Number(value));
  return isText && typeof changed === 'number' ? String(changed) : changed;
}

function withTime(row: Json, change: (time: number) => number): Json {
  if (isCandle(row)) return [change(Number(row[0])), ...row.slice(1)];
  return isPoint(row) ? { ...row, timestamp: change(Number(row.timestamp)) } : row;
}

/** Milliseconds in one unit of a time. */
function unitOf(time: number): number {
  return time > 1e11 ? 1 : 1000;
}

function otherUnit(time: number): number {
  return unitOf(time) === 1 ? time / 1000 : time * 1000;
}
