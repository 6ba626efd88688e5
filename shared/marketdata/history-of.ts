import { type BaseCandle, type FoldedCandle, fold, listed } from './candles.ts';
import { type Quality, weakest } from './quality.ts';
import { type KnownPrice, upTo } from './running.ts';
import { isSettled, runningFrom } from './series.ts';
import type { Window } from './window.ts';

export interface History {
  readonly candles: FoldedCandle[];
  /** The weakest of all candles in it. */
  readonly quality: Quality;
  /** Who made them, as `x-data-source` tells it. */
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
}

interface At {
  readonly window: Window;
  /** The newest price of the coin, if the window has the running candle. */
  readonly price: KnownPrice | undefined;
  readonly now: number;
}

/** The candles of a window, folded, with the running one up to the price, and with what callers are told about them. */
export function historyOf(base: BaseRows, { window, price, now }: At): History {
  const { stepMs } = window;
  const running = runningFrom(now, window);
  const nextClose = running + stepMs;
  const isNewer = price !== undefined && price.madeAt >= running && price.madeAt > base.madeAt;
  const rows = isNewer ? upTo(base.rows, price, running, stepMs) : base.rows;
  const candles = fold(rows, window, ({ time_open }) => Date.parse(time_open) + stepMs <= base.closedUntil);
  const told = {
    candles,
    quality: weakest(candles.map(({ quality }) => quality)),
    source: listed(...(candles.length > 0 ? candles.map(({ source }) => source) : [base.source])),
    stale: base.stale,
  };
  if (isNewer) return { ...told, madeAt: price.madeAt, freshUntil: Math.min(nextClose, price.freshUntil) };
  const freshUntil = isSettled(window, base.closedUntil) ? nextClose : base.freshUntil;
  // As good as new only until there is a newer price.
  const newerPriceAt = price && price.freshUntil > now ? price.freshUntil : Number.POSITIVE_INFINITY;
  return { ...told, madeAt: base.madeAt, freshUntil: Math.min(freshUntil, newerPriceAt) };
}
