/** The running candle, which is never older than the newest known price. */
import { isoSeconds } from '../platform/time.ts';
import { type BaseCandle, listed } from './candles.ts';
import type { CurrentTicker } from './serve/current-ticker.ts';

/** A price in the quote's currency. Times in milliseconds since the epoch. */
export interface KnownPrice {
  readonly price: number;
  readonly madeAt: number;
  readonly freshUntil: number;
  readonly source: string;
}

/** The coin that quotes in `btc` are in. */
export const BITCOIN = 'btc-bitcoin';

/** Undefined without a price. */
export function knownPrice(current: CurrentTicker | undefined): KnownPrice | undefined {
  const price = current?.ticker.quotes.USD.price;
  if (!current || !price) return undefined;
  const { madeAt, freshUntil, source } = current;
  return { price, madeAt, freshUntil, source };
}

/** A price in units of another coin. It is as old as the older of the two. */
export function inUnit(coin: KnownPrice, unit: KnownPrice): KnownPrice {
  return {
    price: coin.price / unit.price,
    madeAt: Math.min(coin.madeAt, unit.madeAt),
    freshUntil: Math.min(coin.freshUntil, unit.freshUntil),
    source: listed(coin.source, unit.source),
  };
}

/**
 * Extends the candle that opened at `running` (ms since the epoch) to a newer price: its close, and its high and low if needed. A
 * missing one is made of the price, opening at the previous close.
 */
export function upTo(
  candles: readonly BaseCandle[],
  { price, madeAt, source }: KnownPrice,
  running: number,
  stepMs: number,
): BaseCandle[] {
  const last = candles.at(-1);
  const lastOpened = last ? Date.parse(last.time_open) : Number.NEGATIVE_INFINITY;
  const begun = last && lastOpened >= running ? last : undefined;
  const open = begun?.open ?? (last && lastOpened >= running - stepMs ? last.close : price);
  const candle: BaseCandle = {
    time_open: begun?.time_open ?? isoSeconds(running),
    time_close: isoSeconds(madeAt),
    open,
    high: Math.max(price, open, begun?.high ?? price),
    low: Math.min(price, open, begun?.low ?? price),
    close: price,
    volume: begun?.volume ?? null,
    market_cap: begun?.market_cap ?? null,
    quality: begun?.quality ?? 'derived',
    source: listed(begun?.source, source),
    ...(begun?.new_unit && { new_unit: begun.new_unit }),
  };
  return [...(begun ? candles.slice(0, -1) : candles), candle];
}
