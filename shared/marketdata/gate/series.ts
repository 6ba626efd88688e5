import { isSuddenDrop } from '../../platform/is-sudden-drop.ts';
import { isoSeconds, MAX_CLOCK_LEAD_MS } from '../../platform/time.ts';
import type { Candle, PricePoint } from '../candles.ts';
import type { Span } from '../window.ts';
import { isFar, isJump, isPrice } from './bounds.ts';
import { Implausible, possibleRows } from './implausible.ts';

/** Checks of history rows, by kind. */
export interface Kind<Row> {
  /** When a row's interval begins. */
  time(row: Row): string;
  /** Its closing price. */
  price(row: Row): number;
  /** Why a row by itself is impossible; undefined: it is possible. */
  problem(row: Row, stepMs: number): string | undefined;
}

export const candleKind: Kind<Candle> = {
  time: ({ time_open }) => time_open,
  price: ({ close }) => close,
  problem({ time_open, time_close, open, high, low, close, volume, market_cap }, stepMs) {
    if (![open, high, low, close].every(isPrice)) return 'a price that is none';
    if (high < Math.max(open, close) || low > Math.min(open, close)) return 'a price outside of low and high';
    if (isNegative(volume) || isNegative(market_cap)) return 'a negative amount';
    const lastsMs = Date.parse(time_close) - Date.parse(time_open);
    return lastsMs >= 0 && lastsMs <= stepMs ? undefined : 'a close outside of its interval';
  },
};

export const priceKind: Kind<PricePoint> = {
  time: ({ timestamp }) => timestamp,
  price: ({ price }) => price,
  problem({ price, volume_24h, market_cap }) {
    if (!isPrice(price)) return 'a price that is none';
    return isNegative(volume_24h) || isNegative(market_cap) ? 'a negative amount' : undefined;
  },
};

type Rows = Pick<Span, 'from' | 'to' | 'stepMs'>;

function isNegative(amount: number | null): boolean {
  return amount !== null && amount < 0;
}

/**
 * The rows of a window, ascending, one an interval. A few impossible ones are left out or replaced by known ones; throws
 * Implausible if a tenth are impossible, or if the rows contradict the known ones.
 */
export function plausibleCandles(rows: readonly Candle[], span: Rows, known?: Known<Candle>): Candle[] {
  return plausible(candleKind, rows, span, known);
}

/** The points of a price history in a window, checked like candles. */
export function plausiblePrices(
  rows: readonly PricePoint[],
  span: Rows,
  known?: Known<PricePoint>,
): PricePoint[] {
  return plausible(priceKind, rows, span, known);
}

/** What rows are compared with. */
interface Known<Row> {
  readonly held?: readonly Row[] | undefined;
  /** The coin's price now, from elsewhere. */
  readonly price?: number | undefined;
}

function plausible<Row>(
  kind: Kind<Row>,
  rows: readonly Row[],
  { from, to, stepMs }: Rows,
  { held = [], price }: Known<Row> = {},
): Row[] {
  const startOf = (row: Row) => Math.floor(Date.parse(kind.time(row)) / stepMs) * stepMs;
  const inSpan = (row: Row) => startOf(row) >= from && startOf(row) < to;
  const inside = rows.filter(inSpan);
  const [outside] = rows;
  if (outside && inside.length === 0)
    throw new Implausible('Time', `${kind.time(outside)}, outside of the window`);
  const possible = possibleRows(inside, startOf, (row, isRepeated) => {
    const text = problemOf(kind, row, stepMs) ?? (isRepeated ? 'two rows for one interval' : undefined);
    return text === undefined ? undefined : ['Candle', `${text} (${kind.time(row)})`];
  });
  const known = new Map(held.filter(inSpan).map((row) => [startOf(row), row]));
  const kept = [...possible].flatMap(([start, row = known.get(start)]) =>
    row === undefined ? [] : [[start, row] as const],
  );
  const ordered = new Map(kept.sort(([a], [b]) => a - b));
  compare(kind, ordered, known);
  const passed = [...ordered.values()];
  if (price !== undefined) compareWithPrice(kind, passed, price, stepMs);
  return passed;
}

function problemOf<Row>(kind: Kind<Row>, row: Row, stepMs: number): string | undefined {
  const time = Date.parse(kind.time(row));
  if (time > Date.now() + MAX_CLOCK_LEAD_MS) return 'a time in the future';
  return time % stepMs === 0 ? kind.problem(row, stepMs) : "a time off the interval's grid";
}

/** Throws if the latest row is far from the current price: it is another coin's, or in another unit. */
export function compareWithPrice<Row>(
  kind: Kind<Row>,
  rows: readonly Row[],
  price: number,
  stepMs: number,
): void {
  const last = rows.at(-1);
  if (last === undefined || Date.parse(kind.time(last)) + 2 * stepMs <= Date.now()) return;
  if (isFar(price, kind.price(last))) {
    throw new Implausible('Jump', `a price of ${kind.price(last)}, where it is ${price} now`);
  }
}

/**
 * Throws if known rows are gone, above all the newest, or have changed out of proportion. The last known one may still have been
 * open.
 */
function compare<Row>(
  kind: Kind<Row>,
  rows: ReadonlyMap<number, Row>,
  known: ReadonlyMap<number, Row>,
): void {
  if (known.size === 0) return;
  if (rows.size === 0) throw new Implausible('Empty', `nothing where ${known.size} rows are known`);
  const last = Math.max(...known.keys());
  const newest = Math.max(...rows.keys());
  if (newest < last) {
    const times = `nothing after ${isoSeconds(newest)}, where ${isoSeconds(last)} is known`;
    throw new Implausible('Older', times);
  }
  const pairs = [...known].flatMap(([start, before]) => {
    const now = rows.get(start);
    return now === undefined ? [] : [[start, kind.price(before), kind.price(now)] as const];
  });
  if (isSuddenDrop(pairs.length, known.size)) {
    throw new Implausible('Drop', `${pairs.length} of ${known.size} known rows`);
  }
  const closed = pairs.filter(([start]) => start !== last).map(([, before, now]) => [before, now] as const);
  if (isJump(closed)) throw new Implausible('Jump', 'prices far from those that are known');
}
