import type { IncomingHttpHeaders } from 'node:http';
import { DAY_MS } from '../../shared/platform/time.ts';
import type { Answer } from './answer.ts';
import {
  AMOUNTS,
  eachRow,
  inAnotherOrder,
  isHistory,
  isList,
  type Json,
  PRICES,
  type Row,
  timesOf,
  withColumnMoved,
  withNumbers,
  withTexts,
  withTimesMoved,
} from './lie-json.ts';
import { urlOfOtherCoin } from './other-coin.ts';
import { type Conditions, respond } from './routes.ts';

/** A request that is answered with a lie. */
interface Asked {
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly conditions: Conditions;
}

/** Makes false JSON of proper JSON; returns it as it is if the lie makes no sense for this kind of answer. */
type Lie = (json: Json, asked: Asked) => Json;

const YEAR_MS = 365 * DAY_MS;

const BIG_NAME = 'x'.repeat(7_500_000); // below the 8 MB at which a client stops reading
const HUGE_SYMBOL = 'X'.repeat(10_000);
/** Long texts go to the first rows only: in each of 56,000 they would make the answer too large to be read at all. */
const LONG_ROWS = 100;

/**
 * The lies that the simulated provider can tell: each answer still parses, and has its route's fields and types. Which
 * rows a lie hits follows from their number alone.
 */
const lies = {
  /** The figures of another coin, under its own id if the answer has one. In a list every id stands one row too high. */
  identity(json, { url, conditions }) {
    const otherUrl = urlOfOtherCoin(url, conditions.market);
    return otherUrl === undefined ? withColumnMoved(json, 'id') : jsonOf(respond(otherUrl, conditions));
  },
  /** No prices: null in every other row, absent from the rest. */
  noprice: (json) =>
    eachRow(json, (row, index) => withNumbers(row, PRICES, () => (index % 2 ? undefined : null))),
  zero: (json) => withNumbers(json, PRICES, () => 0),
  negative: (json) => withNumbers(json, [...PRICES, ...AMOUNTS], (value) => -value),
  /** As large as a double can hold, so that the sum of two overflows. */
  giant: (json) => withNumbers(json, PRICES, () => 1e308),
  scaled: (json) => withNumbers(json, PRICES, (value) => value * 100),

  /** The figures of now, made in 2099. */
  future(json) {
    const [first] = timesOf(json);
    if (first === undefined) return json;
    return withTimesMoved(json, Date.UTC(2099, 0) - Date.UTC(new Date(first).getUTCFullYear(), 0));
  },
  /** The proper answer of two days ago: a history without its last days, and an empty one if it has no others. */
  old: (_, { url, conditions }) =>
    jsonOf(respond(url, { ...conditions, nowMs: conditions.nowMs - 2 * DAY_MS })),
  /** A history as many years earlier as it takes to leave the window. */
  outside(json) {
    if (!isHistory(json)) return json;
    const times = timesOf(json);
    const spanMs = Math.max(...times) - Math.min(...times);
    return withTimesMoved(json, -YEAR_MS * Math.ceil((spanMs + 1) / YEAR_MS));
  },

  /** A history whose rows are whole but not in the order of time. */
  unordered: (json) => (isHistory(json) ? inAnotherOrder(json) : json),
  /** Harmless: every row is as it should be. */
  shuffled: (json) => (isList(json) ? inAnotherOrder(json) : json),
  /** Each row twice, the second time with figures twice as high. */
  duplicates(json) {
    const twice = (row: Row) => withNumbers(row, [...PRICES, ...AMOUNTS, 'rank'], (value) => value * 2);
    return isList(json) ? json.flatMap((row) => [row, twice(row)]) : json;
  },
  emptied: (json) => (isList(json) ? [] : json),
  /** Every second row is gone. */
  halved: (json) => (isList(json) ? json.filter((_, index) => index % 2 === 0) : json),
  /** Candles with the high below the low and the close above both. */
  impossible: (json) => eachRow(json, impossibleCandle),
  /** Bad in the middle of good ones: a ticker without a price and one of −1, an impossible candle, a price of −1. */
  onebad(json) {
    if (!isList(json)) return json;
    const bad = Math.floor(json.length / 2);
    return json.map((row, index) => {
      if (index === bad) return 'quotes' in row ? withPrice(row, null) : impossibleCandle(withPrice(row, -1));
      return index === (bad + 1) % json.length && 'quotes' in row ? withPrice(row, -1) : row;
    });
  },

  /** A name of 7.5 MB and a symbol of 10,000 letters; in a list the symbols only. */
  bigtext: (json) =>
    firstRows(json, (row) => {
      const withSymbol = withTexts(row, ['symbol'], () => HUGE_SYMBOL);
      return isList(json) ? withSymbol : withTexts(withSymbol, ['name'], () => BIG_NAME);
    }),
  /** Path, query and headers of the request in names, symbols and the text of an error. */
  echo: (json, { url, headers }) =>
    firstRows(json, (row) =>
      withTexts(row, ['name', 'symbol', 'error'], (text) => `${text} ${url} ${JSON.stringify(headers)}`),
    ),
  nameless: (json) => withTexts(json, ['name'], () => ''),
  /** In a list every symbol stands one row too high. */
  shifted: (json) => withColumnMoved(json, 'symbol'),
  /** A coin list without an active coin. */
  inactive: (json) => eachRow(json, (row) => ('is_active' in row ? { ...row, is_active: false } : row)),
  unranked: (json) => withNumbers(json, ['rank'], () => 0),
} as const satisfies Record<string, Lie>;

export type LieName = keyof typeof lies;

/** Every lie, for tests that tell them all. */
export const lieNames: readonly LieName[] = Object.keys(lies).filter(isLieName);

function isLieName(name: string): name is LieName {
  return Object.hasOwn(lies, name);
}

/** The answer that a lie makes of the proper one. Errors are left alone except by `echo`, and so is all but JSON. */
export function tell(name: string, proper: Answer, asked: Asked): Answer {
  const isJson = proper.headers['Content-Type']?.startsWith('application/json');
  if (!isLieName(name) || !isJson || (proper.status !== 200 && name !== 'echo')) return proper;
  const lie: Lie = lies[name];
  return { ...proper, body: JSON.stringify(lie(jsonOf(proper), asked)) };
}

function jsonOf({ body }: Answer): Json {
  return JSON.parse(body) as Json; // the simulation wrote it
}

function firstRows(json: Json, change: (row: Row) => Row): Json {
  return eachRow(json, (row, index) => (index < LONG_ROWS ? change(row) : row));
}

function withPrice(row: Row, price: number | null): Row {
  return withNumbers(row, ['price'], () => price);
}

/** Rows that are no candle stay as they are. */
function impossibleCandle(row: Row): Row {
  const { high, low } = row;
  if (typeof high !== 'number' || typeof low !== 'number') return row;
  return { ...row, high: low / 2, low: high, close: high * 2 };
}
