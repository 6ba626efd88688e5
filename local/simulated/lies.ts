/** Lies of a simulated source: each changes the data of a proper response before it is written. */
import type { IncomingHttpHeaders } from 'node:http';
import { DAY_MS, isoSeconds } from './market.ts';
import type { Answer } from './protocol.ts';
import type { Subject } from './protocols.ts';
import { seedOf, uniform } from './walk.ts';

type Json = unknown;
type Fields = Readonly<Record<string, Json>>;
/** A candle that is a list, or an object. */
type Row = readonly Json[] | Fields;

/** Data that a lie may need besides the proper response. */
export interface Context {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The proper answer at another time, so many milliseconds later. */
  again(laterMs: number): Answer;
  /** The proper answer about another coin; undefined if the request names none. */
  other(): Answer | undefined;
}

interface Lie<About extends readonly Subject[] = readonly Subject[]> {
  readonly about: About;
  readonly text: string;
  /** Returns the data unchanged if the lie does not apply to them. */
  readonly falsify: (data: Json, context: Context) => Json;
}

function lie<const About extends readonly Subject[]>(
  about: About,
  text: string,
  falsify: Lie['falsify'],
): Lie<About> {
  return { about, text, falsify };
}

const YEAR_MS = 365 * DAY_MS;
const TEN_YEARS_MS = 3653 * DAY_MS;
const MANY_ROWS = 100_000;
/** Only the first rows get long texts: in each of 56,000 they would make the response too large to read. */
const LONG_ROWS = 100;
/** A length below the 8 MB at which a client stops reading. */
const BIG_NAME = 7_500_000;
const BIG_SYMBOL = 10_000;

const figures = {
  prices: 'price open high low close ath_price lastPrice last bidPrice askPrice bid ask rate'.split(' '),
  amounts: 'volume volume_24h market_cap'.split(' '),
  /** The time of the figures; not that of a coin's first trade or peak. */
  times: 'last_updated timestamp time_open time_close day date'.split(' '),
};
/** An object with one of these is a row of a list. */
const rowFields = ['time_open', 'timestamp', 'quotes', 'is_active', 'rate'];
const all = ['coins', 'markets', 'rates'] as const;
const charted = ['coins', 'markets'] as const;
const traded = ['markets', 'rates'] as const;

/** The affected rows follow from their index alone, so that a lie is the same at every run. */
export const lies = {
  identity: lie(
    charted,
    'the figures of another coin; in a list every id one row too high',
    (data, { other }) => {
      return other()?.data ?? shifted(shifted(data, 'id'), 'base_currency_id');
    },
  ),
  noprice: lie(all, 'null for prices in every other row, and no price at all in the rest', (data) =>
    eachRow(data, (row, index) => withPrices(row, () => (index % 2 ? undefined : null))),
  ),
  zero: lie(all, 'prices of 0', (data) => withPrices(data, () => 0)),
  negative: lie(all, 'prices and amounts below 0', (data) => {
    const below = withPrices(data, (price) => -price);
    return withNumbers(below, figures.amounts, (amount) => -amount);
  }),
  giant: lie(charted, 'prices as large as a double can hold, so that the sum of two overflows', (data) =>
    withPrices(data, () => 1e308),
  ),
  scaled: lie(all, 'prices times 100', (data) => withPrices(data, (price) => price * 100)),
  nan: lie(traded, 'the text NaN for prices', (data) => withPrices(data, () => 'NaN')),
  future: lie(all, 'the figures of now, made in 2099', (data) => {
    const [first = 0] = timesOf(data);
    const laterMs = Date.UTC(2099, 0) - Date.UTC(new Date(first).getUTCFullYear(), 0);
    return withTimes(data, (ms) => ms + laterMs);
  }),
  old: lie(all, 'the proper answer of two days ago: a history without its last days', (_, { again }) => {
    return again(-2 * DAY_MS).data;
  }),
  outside: lie(['coins'], 'a history as many years earlier as it takes to leave the window', (data) =>
    ofHistory(data, (rows) => {
      const times = timesOf(rows);
      const spanMs = Math.max(...times) - Math.min(...times);
      const earlierMs = YEAR_MS * Math.ceil((spanMs + 1) / YEAR_MS);
      return rows.map((row) => withTimes(row, (ms) => ms - earlierMs));
    }),
  ),
  mixedtimes: lie(['markets'], 'every second time in the other unit, seconds or milliseconds', (data) =>
    eachRow(data, (row, index) =>
      index % 2 ? withTimes(row, (ms) => (isInMs(row) ? ms / 1000 : ms * 1000)) : row,
    ),
  ),
  unordered: lie(charted, 'a history whose rows are whole but not in the order of time', (data) =>
    ofHistory(data, inAnotherOrder),
  ),
  duplicates: lie(all, 'each row twice, the second time with figures twice as high', (data) =>
    withRows(data, (rows) => rows.flatMap((row) => [row, doubled(row)])),
  ),
  many: lie(traded, 'the last row again and again', (data) =>
    withRows(data, (rows) => [...rows, ...Array(MANY_ROWS - rows.length).fill(rows.at(-1))]),
  ),
  emptied: lie(all, 'no row of a list', (data) => withRows(data, () => [])),
  halved: lie(all, 'every second row of a list', (data) =>
    withRows(data, (rows) => rows.filter((_, index) => index % 2 === 0)),
  ),
  short: lie(['markets'], 'candles that break off in the middle', (data) =>
    eachRow(data, (row) => (Array.isArray(row) ? row.slice(0, 3) : row)),
  ),
  impossible: lie(charted, 'candles with the high below the low and the close above both', (data) =>
    eachRow(data, impossible),
  ),
  onebad: lie(
    all,
    'bad in the middle of good: a candle, or a ticker without a price and one below 0',
    (data) =>
      withRows(data, (rows) => {
        const bad = Math.floor(rows.length / 2);
        return rows.map((row, index) => {
          const isTicker = 'quotes' in row;
          if (index === bad && isTicker) return withPrices(row, () => null, ['price']);
          if (index === bad) return impossible(belowZero(row));
          return isTicker && index === (bad + 1) % rows.length ? belowZero(row) : row;
        });
      }),
  ),
  bigtext: lie(
    ['coins'],
    'a name of 7.5 MB and a symbol of 10,000 letters; in a list the symbols only',
    (data) => {
      const withSymbols = firstRows(data, (row) => withTexts(row, ['symbol'], () => 'X'.repeat(BIG_SYMBOL)));
      return Array.isArray(data) ? withSymbols : withTexts(withSymbols, ['name'], () => 'x'.repeat(BIG_NAME));
    },
  ),
  echo: lie(['coins'], 'the request in names, symbols and the text of an error', (data, { url, headers }) => {
    const request = `${url} ${JSON.stringify(headers)}`;
    return firstRows(data, (row) =>
      withTexts(row, ['name', 'symbol', 'error'], (text) => `${text} ${request}`),
    );
  }),
  base: lie(['rates'], 'rates of the first currency in the list under the name of the base', (data) => {
    return perFirst(data);
  }),
  decade: lie(['rates'], 'the rates of ten years ago, made today', (data, { again }) => {
    const [now = 0] = timesOf(data);
    const then = again(-TEN_YEARS_MS).data;
    const [ago = 0] = timesOf(then);
    return withTimes(then, (ms) => ms + now - ago);
  }),
  withdrawn: lie(['rates'], 'no rate of the last currency in the list, which has lost its source', (data) =>
    withRows(data, (rows) => rows.slice(0, -1)),
  ),
  nameless: lie(['coins'], 'empty names', (data) => withTexts(data, ['name'], () => '')),
  unranked: lie(['coins'], 'ranks of 0', (data) => withNumbers(data, ['rank'], () => 0)),
} as const;

export type LieName = keyof typeof lies;
const names = Object.keys(lies) as LieName[]; // its own keys

export type LieAbout<S extends Subject> = {
  [N in LieName]: S extends (typeof lies)[N]['about'][number] ? N : never;
}[LieName];

/** The lies that are possible about a subject. */
export function lieNames<S extends Subject>(subject: S): LieAbout<S>[] {
  const isAbout = (name: LieName): name is LieAbout<S> => (lies[name] as Lie).about.includes(subject);
  return names.filter(isAbout);
}

/** The false data for a proper answer; undefined for a plain text and for most errors. */
export function falseData(name: LieName, proper: Answer, context: Context): Json {
  const isAlone = proper.data === undefined || (proper.status !== 200 && name !== 'echo');
  return isAlone ? undefined : lies[name].falsify(proper.data, context);
}

function isRow(value: Json): value is Row & Json[] {
  if (Array.isArray(value)) return value.length >= 6 && typeof value[0] === 'number' && value[0] > 1e8;
  return typeof value === 'object' && value !== null && rowFields.some((name) => name in value);
}

/** Changes the rows of a list, wherever it is. */
function withRows(data: Json, change: (rows: readonly Row[]) => readonly Json[]): Json {
  if (Array.isArray(data)) return data.length > 0 && data.every(isRow) ? change(data) : data;
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, withRows(value, change)]));
}

/** Changes each row of a list; what has no list counts as the only row. */
function eachRow(data: Json, change: (row: Row, index: number) => Json): Json {
  let hasRows = false;
  const changed = withRows(data, (rows) => {
    hasRows = true;
    return rows.map(change);
  });
  return hasRows || typeof data !== 'object' || data === null ? changed : change(data as Row, 0);
}

function firstRows(data: Json, change: (row: Row) => Json): Json {
  return eachRow(data, (row, index) => (index < LONG_ROWS ? change(row) : row));
}

/** Changes the fields with these names, at any depth; `undefined` removes a field. */
function withFields<T extends Json>(data: T, wanted: readonly string[], change: (value: Json) => Json): T {
  const changed: Json = JSON.parse(JSON.stringify(data), (name, value: Json) =>
    wanted.includes(name) ? change(value) : value,
  );
  return changed as T; // a list or an object, as before
}

function withNumbers(data: Json, wanted: readonly string[], change: (value: number) => Json): Json {
  return withFields(data, wanted, (value) => (typeof value === 'number' ? change(value) : value));
}

function withTexts(data: Json, wanted: readonly string[], change: (value: string) => Json): Json {
  return withFields(data, wanted, (value) => (typeof value === 'string' ? change(value) : value));
}

/** Changes prices, in fields and in candles that are lists; a figure that was a text stays one. */
function withPrices(data: Json, change: (price: number) => Json, wanted = figures.prices): Json {
  const changed = (value: Json): Json => {
    if (value === null || typeof value === 'object' || !Number.isFinite(Number(value))) return value;
    const price = change(Number(value));
    return typeof value === 'string' && typeof price === 'number' ? String(price) : price;
  };
  return JSON.parse(JSON.stringify(data), (name, value: Json) => {
    if (wanted.includes(name)) return changed(value);
    if (!Array.isArray(value)) return value;
    if (isRow(value)) return value.map((one, at) => (at >= 1 && at <= 4 ? changed(one) : one));
    return name === 'c' ? [changed(value[0]), ...value.slice(1)] : value; // Kraken's last trade: price and amount
  });
}

function belowZero(row: Row): Row {
  return withPrices(row, () => -1, Array.isArray(row) ? undefined : ['price', 'rate']) as Row;
}

function doubled(row: Row): Json {
  const amounts = [...figures.amounts, 'rank'];
  return withNumbers(
    withPrices(row, (price) => price * 2),
    amounts,
    (value) => value * 2,
  );
}

/** Rates of which the first, and so the currency that it is of, is 1. */
function perFirst(data: Json): Json {
  return withRows(data, (rows) => {
    const rateIn = (row: Row | undefined) => Number((row as Fields | undefined)?.rate);
    return rows.map((row) => withPrices(row, (rate) => rate / rateIn(rows[0]), ['rate']));
  });
}

/** A row that is not a candle is unchanged. */
function impossible(row: Row): Row {
  let place = 0;
  if (Array.isArray(row)) return withPrices(row, (price) => price * (1 + place++ / 10)) as Row;
  const { high, low } = row as Fields;
  if (typeof high !== 'number' || typeof low !== 'number') return row;
  return { ...row, high: low / 2, low: high, close: high * 2 };
}

/** Gives every row the field of the row below it, and the last row that of the first. */
function shifted(data: Json, name: string): Json {
  return withRows(data, (rows) =>
    rows.map((row, index) => {
      const below = rows[(index + 1) % rows.length] as Fields;
      return name in row ? { ...row, [name]: below[name] } : row;
    }),
  );
}

/** The rows in another order: the same for the same number of rows, and never theirs if there are two or more. */
function inAnotherOrder(rows: readonly Row[]): readonly Row[] {
  const seed = seedOf('another order');
  const placed = rows.map((row, index) => ({ row, place: uniform(seed, index) }));
  return placed.toSorted((a, b) => a.place - b.place).map(({ row }) => row);
}

/** Changes the rows of a history, which have times of their own. */
function ofHistory(data: Json, change: (rows: readonly Row[]) => readonly Json[]): Json {
  const isHistory = (row: Row) => Array.isArray(row) || 'time_open' in row || 'timestamp' in row;
  return withRows(data, (rows) => (rows.some(isHistory) ? change(rows) : rows));
}

function isInMs(row: Row): boolean {
  return Array.isArray(row) && row[0] > 1e11;
}

/** The times of all rows, in milliseconds. */
function timesOf(data: Json): number[] {
  const times: number[] = [];
  withTimes(data, (ms) => {
    times.push(ms);
    return ms;
  });
  return times;
}

/** Changes times, in milliseconds: texts, seconds or milliseconds, in fields and in candles that are lists. */
function withTimes(data: Json, change: (ms: number) => number): Json {
  const changed = (value: Json): Json => {
    if (typeof value === 'string') return isoSeconds(change(Date.parse(value))).slice(0, value.length);
    if (typeof value !== 'number') return value;
    const unit = value > 1e11 ? 1 : 1000;
    return change(value * unit) / unit;
  };
  return JSON.parse(JSON.stringify(data), (name, value: Json) => {
    if (figures.times.includes(name)) return changed(value);
    return Array.isArray(value) && isRow(value) ? [changed(value[0]), ...value.slice(1)] : value;
  });
}
