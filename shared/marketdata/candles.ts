import { isoSeconds } from '../platform/time.ts';
import { type CandleQuality, listed, weakest } from './provenance.ts';
import type { Window } from './window.ts';

export { listed };

/** Prices in the quote's currency, volume and market cap likewise; times in ISO 8601 UTC. */
export interface Candle {
  readonly time_open: string;
  readonly time_close: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number | null;
  readonly market_cap: number | null;
  /** Set if the coin was redenominated in it: candles before it are in another unit. */
  readonly new_unit?: true;
}

/** A candle as its source gives it. */
export interface SourceCandle extends Candle {
  /** What was traded in the 24 hours up to the close, if the source says so. */
  readonly volume_24h?: number | null;
}

/** A candle of a base interval, with its provenance. */
export interface BaseCandle extends Candle {
  readonly quality: CandleQuality;
  /** Its source, as in `x-data-source`. */
  readonly source: string;
  /** The exchange rate that its figures are at, unless they are in dollars. */
  readonly rate?: { readonly day: string; readonly source: string };
}

/** A price in USD as its source gave it, not computed from others. */
export interface PastPrice {
  readonly price: number;
  /** When it was valid, in milliseconds since the epoch; never too early. */
  readonly time: number;
  readonly quality: CandleQuality;
  /** Its source, as in `x-data-source`. */
  readonly source: string;
}

export interface PricePoint {
  readonly timestamp: string;
  readonly price: number;
  readonly volume_24h: number | null;
  readonly market_cap: number | null;
}

export type FoldedCandle = BaseCandle & {
  /** Whether it is closed and made of all base candles of its interval. */
  readonly complete: boolean;
};

/**
 * Folds ascending base candles into longer ones, counted back from the window's end. The first and the running one hold fewer
 * base candles if the data begins or ends inside them. `isClosed` tests a base candle.
 */
export function fold(
  candles: readonly BaseCandle[],
  { size, stepMs, to }: Window,
  isClosed: (candle: BaseCandle) => boolean,
): FoldedCandle[] {
  if (size === 1) return candles.map((candle) => ({ ...candle, complete: isClosed(candle) }));
  const buckets = Map.groupBy(candles, ({ time_open }) =>
    Math.ceil((to - Date.parse(time_open)) / (size * stepMs)),
  );
  return [...buckets.values()].map((bucket) => ({
    ...bucket.reduce(join),
    complete: bucket.length === size && bucket.every(isClosed),
  }));
}

function join(earlier: BaseCandle, later: BaseCandle): BaseCandle {
  // Prices in two units make no candle.
  if (later.new_unit) return { ...later, time_open: earlier.time_open };
  return {
    time_open: earlier.time_open,
    time_close: later.time_close,
    open: earlier.open,
    high: Math.max(earlier.high, later.high),
    low: Math.min(earlier.low, later.low),
    close: later.close,
    // A sum without some of them would be taken for the whole volume.
    volume: earlier.volume === null || later.volume === null ? null : earlier.volume + later.volume,
    market_cap: later.market_cap,
    quality: weakest([earlier.quality, later.quality]),
    source: listed(earlier.source, later.source),
    ...(later.rate && { rate: later.rate }),
    ...(earlier.new_unit && { new_unit: earlier.new_unit }),
  };
}

/**
 * Candles derived from an ascending price history, each from the previous interval's price to its own; after a gap a candle opens
 * with its own price. A point before the window only gives the first candle its open. An hour's volume is null, because the
 * history has the volume of 24 hours only.
 */
export function derive(points: readonly PricePoint[], { from, stepMs }: Window): SourceCandle[] {
  const candles = points.map((point, index): SourceCandle => {
    const opened = Date.parse(point.timestamp);
    const before = points[index - 1];
    const follows = before !== undefined && Date.parse(before.timestamp) === opened - stepMs;
    const open = follows ? before.price : point.price;
    return {
      time_open: isoSeconds(opened),
      time_close: isoSeconds(opened + stepMs - 1000),
      open,
      high: Math.max(open, point.price),
      low: Math.min(open, point.price),
      close: point.price,
      volume: stepMs < 86_400_000 ? null : point.volume_24h,
      market_cap: point.market_cap,
      volume_24h: point.volume_24h,
    };
  });
  const firstTime = Date.parse(points[0]?.timestamp ?? '');
  const isLender = firstTime < from && firstTime >= from - stepMs;
  return isLender ? candles.slice(1) : candles;
}
