import type { Answer } from './answer.ts';
import { type Candle, type FoldedCandle, fold } from './candles.ts';
import { type KnownPrice, upTo } from './running.ts';
import { isSettled, runningFrom, type Series } from './series.ts';
import type { Window } from './window.ts';

export interface History {
  readonly candles: FoldedCandle[];
  readonly quality: 'exact' | 'derived';
  /** Who made them, as `x-data-source` tells it. */
  readonly source: string;
  /** Of the newest data in it. Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly freshUntil: number;
  readonly stale: boolean;
}

/** The rows of a window, with the answers that they are from. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  readonly answers: readonly Answer<Series<unknown>>[];
  /** Rows that opened before had closed when they were made; milliseconds since the epoch. */
  readonly closedUntil: number;
}

interface At {
  readonly window: Window;
  /** The newest price of the coin, if the window has the running candle. */
  readonly price: KnownPrice | undefined;
  readonly now: number;
}

/** The candles of a window, folded, with the running one up to the price, and with what callers are told about them. */
export function historyOf(
  { rows, answers, closedUntil }: Found<Candle>,
  quality: History['quality'],
  { window, price, now }: At,
): History {
  const made = {
    quality,
    source: listed(answers.map(({ source }) => source)),
    madeAt: Math.max(...answers.map(({ madeAt }) => madeAt)),
    stale: answers.some(({ stale }) => stale),
  };
  const { stepMs } = window;
  const isClosed = ({ time_open }: Candle) => Date.parse(time_open) + stepMs <= closedUntil;
  const running = runningFrom(now, window);
  const nextClose = running + stepMs;
  const freshUntil = isSettled(window, closedUntil)
    ? nextClose
    : Math.min(...answers.map((answer) => answer.freshUntil));
  if (!price || price.madeAt < running || price.madeAt <= made.madeAt) {
    // As good as new only until there is a newer price.
    const newerPriceAt = price && price.freshUntil > now ? price.freshUntil : Number.POSITIVE_INFINITY;
    return {
      ...made,
      candles: fold(rows, window, isClosed),
      freshUntil: Math.min(freshUntil, newerPriceAt),
    };
  }
  const hasBegun = rows.some(({ time_open }) => Date.parse(time_open) >= running);
  return {
    candles: fold(upTo(rows, price, running, stepMs), window, isClosed),
    quality: hasBegun ? quality : 'derived',
    source: listed([made.source, price.source]),
    madeAt: price.madeAt,
    freshUntil: Math.min(nextClose, price.freshUntil),
    stale: made.stale,
  };
}

function listed(sources: readonly string[]): string {
  return [...new Set(sources)].join(',');
}
