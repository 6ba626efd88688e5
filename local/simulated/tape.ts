/** The trades of one simulated market as a function of time: nothing is stored, and any candle can be computed. */
import {
  type Asset,
  DAY_MS,
  HOUR_MS,
  openings,
  priceAt,
  type Range,
  rangeBetween,
  volumeBetween,
} from './market.ts';
import { normal, uniform } from './walk.ts';

/** The trades of an interval: prices in the market's quote, `volume` in units of the base. */
export interface Bar extends Range {
  readonly openMs: number;
  readonly volume: number;
  /** The volume in the market's quote. */
  readonly quoteVolume: number;
  readonly trades: number;
}

/** Times in milliseconds since the epoch. */
export interface Tape {
  /** Digits behind the point of its prices. */
  readonly decimals: number;
  /** The price of the last trade before an instant; 0 before the first. */
  priceAt(ms: number): number;
  /** The interval's bar, which is running if `nowMs` is in it; undefined if nothing was traded. */
  bar(openMs: number, intervalMs: number, nowMs: number): Bar | undefined;
  /** The 24 hours before an instant; without a trade in them, the price of the last one. */
  day(nowMs: number): Bar;
}

/** The market of a tape. */
export interface Traded {
  /** The coin whose price it follows. */
  readonly asset: Asset;
  /** Its part of all trade in the coin. */
  readonly share: number;
  /** The fraction of hours without trades; none by default. */
  readonly silence?: number;
  /** Coins in one unit of the base; 1 by default. */
  readonly multiple?: number;
}

export interface TapeOptions extends Traded {
  /** The coin that prices are in; undefined for US dollars. */
  readonly quote: Asset | undefined;
  readonly seed: number;
  readonly decimals: number;
  /** No trade at or after it. */
  readonly endMs: () => number;
}

const OFFSET = 0.001; // the largest constant difference of a market's price from the coin's
const NOISE = 0.0004; // deviation of a further difference in each five minutes; 0.14 % at most
const SILENT_DAYS = 0.2; // the part of days without any trade, relative to the silent part of hours
const TRADE_DOLLARS = 1500;

/**
 * The tape of a market that follows a coin's price within a quarter of a percent. A bar is the fold of the hours in it,
 * and the running one closes at the price of the last trade.
 */
export function tapeOf(options: TapeOptions): Tape {
  const { asset, share, silence = 0, multiple = 1, quote, seed, decimals, endMs } = options;
  const offset = OFFSET * (2 * uniform(seed, 1) - 1) + Math.log(multiple);
  const logAt = (step: number) =>
    asset.logAt(step) - (quote?.logAt(step) ?? 0) + offset + NOISE * normal(seed, step);
  const rounded = (price: number) => Number(price.toFixed(decimals));

  function isSilent(hour: number): boolean {
    if (silence === 0) return false;
    const isSilentDay = uniform(seed, -1000 - Math.floor(hour / 24)) < silence * SILENT_DAYS;
    return isSilentDay || uniform(seed, 1000 + hour) < silence;
  }

  function lastPriceAt(ms: number): number {
    let at = Math.min(ms, endMs());
    while (at > asset.firstMs && isSilent(Math.ceil(at / HOUR_MS) - 1))
      at = (Math.ceil(at / HOUR_MS) - 1) * HOUR_MS;
    return at <= asset.firstMs ? 0 : rounded(priceAt({ logAt }, at));
  }

  function barWithinHour(openMs: number, closeMs: number): Bar {
    const { open, high, low, close } = rangeBetween({ logAt }, openMs, closeMs);
    const dollars = share * volumeBetween(asset, openMs, closeMs);
    const quoteVolume = dollars / (quote ? priceAt(quote, closeMs) : 1);
    return {
      openMs,
      open: rounded(open),
      high: rounded(high),
      low: rounded(low),
      close: rounded(close),
      volume: quoteVolume / close,
      quoteVolume,
      trades: Math.ceil(dollars / TRADE_DOLLARS),
    };
  }

  function barBetween(fromMs: number, toMs: number): Bar | undefined {
    const end = Math.min(toMs, endMs());
    let sum: Bar | undefined;
    for (let at = Math.max(fromMs, asset.firstMs); at < end; ) {
      const next = Math.min((Math.floor(at / HOUR_MS) + 1) * HOUR_MS, end);
      if (!isSilent(Math.floor(at / HOUR_MS))) sum = folded(sum, barWithinHour(at, next));
      at = next;
    }
    return sum && { ...sum, openMs: fromMs };
  }

  const tape: Tape = {
    decimals,
    priceAt: lastPriceAt,
    bar: (openMs, intervalMs, nowMs) => barBetween(openMs, Math.min(openMs + intervalMs, nowMs)),
    day: (nowMs) => barBetween(nowMs - DAY_MS, nowMs) ?? flatBar(tape, nowMs - DAY_MS),
  };
  return tape;
}

function folded(sum: Bar | undefined, bar: Bar): Bar {
  if (!sum) return bar;
  return {
    openMs: sum.openMs,
    open: sum.open,
    high: Math.max(sum.high, bar.high),
    low: Math.min(sum.low, bar.low),
    close: bar.close,
    volume: sum.volume + bar.volume,
    quoteVolume: sum.quoteVolume + bar.quoteVolume,
    trades: sum.trades + bar.trades,
  };
}

/** An interval without a trade: the price of the last one before it, 0 if there was none. */
export function flatBar(tape: Pick<Tape, 'priceAt'>, openMs: number): Bar {
  const price = tape.priceAt(openMs);
  return { openMs, open: price, high: price, low: price, close: price, volume: 0, quoteVolume: 0, trades: 0 };
}

/** The bars that open from one instant to another (inclusive), ascending; those without trades only if `isGapless`. */
export function barsBetween(
  tape: Tape,
  { fromMs, toMs, intervalMs, nowMs }: Record<'fromMs' | 'toMs' | 'intervalMs' | 'nowMs', number>,
  isGapless: boolean,
): Bar[] {
  return openings(fromMs, Math.min(toMs, nowMs - 1), intervalMs).flatMap((openMs) => {
    const bar = tape.bar(openMs, intervalMs, nowMs) ?? (isGapless ? flatBar(tape, openMs) : undefined);
    return bar && bar.close > 0 ? bar : [];
  });
}
