import { type BaseCandle, type FoldedCandle, fold, listed } from './candles.ts';
import { lifetimes } from './lifetimes.ts';
import { type Quality, weakest } from './quality.ts';
import { type KnownPrice, upTo } from './running.ts';
import { isSettled, runningFrom } from './series.ts';
import type { Window } from './window.ts';

export interface History {
  readonly candles: FoldedCandle[];
  /** The weakest of all candles in it. */
  readonly quality: Quality;
  /** Who made them, as `x-data-source` has it. */
  readonly source: string;
  /** Of the newest data in it. Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly freshUntil: number;
  readonly stale: boolean;
}

/** The base candles of a window, with what is known about them. Times in milliseconds since the epoch. */
export interface BaseRows {
  /** Ascending. */
  readonly rows: readonly BaseCandle[];
  /** Who was asked, whatever came of it. */
  readonly source: string;
  /** Of the newest data in it. */
  readonly madeAt: number;
  readonly freshUntil: number;
  readonly stale: boolean;
  /** Rows that opened before had closed when they were made. */
  readonly closedUntil: number;
  /** True if nobody knows a price of the coin to hold them against. */
  readonly isUnconfirmed?: boolean | undefined;
}

interface At {
  readonly window: Window;
  /** The newest price of the coin, if the window has the running candle. */
  readonly price: KnownPrice | undefined;
  readonly now: number;
}

/** When the newest data in ascending rows were made: the end of an interval that is over, else the last row's close. */
export function newestData(rows: readonly BaseCandle[], stepMs: number, madeAt: number): number {
  const last = rows.at(-1);
  if (!last) return madeAt;
  // A whole interval is written as closing a second before its end.
  const closedAt = Date.parse(last.time_close) + 1000;
  const isWhole = closedAt >= Date.parse(last.time_open) + stepMs;
  return Math.min(madeAt, isWhole ? closedAt : closedAt - 1000);
}

/** Whether rows end so long before the window does, or before now, that their last candles are missing. */
export function endsEarly(rows: readonly BaseCandle[], { to }: Pick<Window, 'to'>, now: number): boolean {
  const last = rows.at(-1);
  return last !== undefined && Math.min(to, now) - Date.parse(last.time_close) >= lifetimes.history.runningMs;
}

/** The candles of a window, folded, with the running one up to the price, and with their provenance. */
export function historyOf(base: BaseRows, { window, price, now }: At): History {
  const { stepMs } = window;
  const running = runningFrom(now, window);
  const nextClose = running + stepMs;
  const isNewer = price !== undefined && price.madeAt >= running && price.madeAt > base.madeAt;
  const rows = isNewer ? upTo(base.rows, price, running, stepMs) : base.rows;
  const candles = fold(rows, window, ({ time_open }) => Date.parse(time_open) + stepMs <= base.closedUntil);
  const provenance = {
    quality: weakest(candles.map(({ quality }) => quality)),
    source: listed(...(candles.length > 0 ? candles.map(({ source }) => source) : [base.source])),
    // A price says nothing of the candles before the running one.
    stale: base.stale || endsEarly(base.rows, isNewer ? { to: running } : window, now),
  };
  if (isNewer)
    return {
      candles,
      ...provenance,
      madeAt: price.madeAt,
      freshUntil: Math.min(nextClose, price.freshUntil),
    };
  const freshUntil = isSettled(window, base.closedUntil) ? nextClose : base.freshUntil;
  // As good as new only until there is a newer price.
  const newerPriceAt = price && price.freshUntil > now ? price.freshUntil : Number.POSITIVE_INFINITY;
  return { candles, ...provenance, madeAt: base.madeAt, freshUntil: Math.min(freshUntil, newerPriceAt) };
}
