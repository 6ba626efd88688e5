import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { candle } from '../provider/candles.ts';
import { uniform } from '../provider/hash.ts';
import { type Asset, logPriceAt } from '../provider/market.ts';
import { volumeBetween } from '../provider/volume.ts';

/** The trades of an interval: prices in the market's quote, `volume` in units of the base. */
export interface Bar {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** The same in the quote. */
  readonly quoteVolume: number;
  readonly trades: number;
}

/** All trades of one market, as a function of time: times in milliseconds since the epoch. */
export interface Tape {
  /** Digits behind the point of its prices. */
  readonly decimals: number;
  /** Of the last trade before an instant; 0 before the first. */
  priceAt(ms: number): number;
  /** The interval's bar, which is running if `nowMs` is in it; undefined if nothing was traded. */
  bar(openMs: number, intervalMs: number, nowMs: number): Bar | undefined;
  /** The bar of the 24 hours before an instant. */
  day(nowMs: number): Bar | undefined;
}

export interface TapeOptions {
  /** The coin; its path is in log US dollars. */
  readonly asset: Asset;
  /** The coin that prices are in; undefined for US dollars. */
  readonly quote: Asset | undefined;
  readonly seed: number;
  /** Coins in one unit of the base. */
  readonly multiple: number;
  /** The market's part of all that is traded of the coin. */
  readonly share: number;
  readonly decimals: number;
  /** The part of hours in which nothing is traded. */
  readonly silence: number;
  /** No trade at or after it. */
  readonly endMs: () => number;
}

const OFFSET = 0.001; // a market is so much too cheap or too dear, at most
const NOISE = 0.0004; // and so much more or less in each five minutes, as a deviation; 0.14 % at most
const SILENT_DAYS = 0.2; // of the silent part of hours: the part of days in which nothing is traded at all
const TRADE_DOLLARS = 1500;

/**
 * The tape of a market that follows a coin's price within a quarter of a percent. A bar is the fold of the shorter
 * ones in it, and the running one closes at the price of the last trade.
 */
export function tapeOf(options: TapeOptions): Tape {
  const { asset, quote, seed, multiple, share, decimals, silence, endMs } = options;
  const offset = OFFSET * (2 * uniform(seed, 1) - 1) + Math.log(multiple);
  const logAt = (step: number) =>
    asset.logAt(step) - (quote?.logAt(step) ?? 0) + offset + NOISE * noise(step);
  const venue: Asset = { ...asset, logAt };
  const rounded = (price: number) => Number(price.toFixed(decimals));
  const exactPriceAt = (ms: number) => Math.exp(logPriceAt(logAt, ms));

  function noise(step: number): number {
    const [a, b, c] = [uniform(seed, 3 * step), uniform(seed, 3 * step + 1), uniform(seed, 3 * step + 2)];
    return 2 * (a + b + c) - 3;
  }

  function isSilent(hour: number): boolean {
    if (silence === 0) return false;
    return (
      uniform(seed, 1000 + hour) < silence ||
      uniform(seed, -1000 - Math.floor(hour / 24)) < silence * SILENT_DAYS
    );
  }

  /** The end of what is traded up to an instant. */
  function lastTradeMs(ms: number): number {
    let at = Math.min(ms, endMs());
    while (at > asset.firstMs && isSilent(Math.ceil(at / HOUR_MS) - 1))
      at = (Math.ceil(at / HOUR_MS) - 1) * HOUR_MS;
    return at;
  }

  function priceAt(ms: number): number {
    const at = lastTradeMs(ms);
    return at <= asset.firstMs ? 0 : rounded(exactPriceAt(at));
  }

  function traded(fromMs: number, toMs: number): Pick<Bar, 'volume' | 'quoteVolume' | 'trades'> {
    const dollars = share * volumeBetween(asset, fromMs, toMs);
    const quoteVolume = dollars / (quote ? Math.exp(logPriceAt(quote.logAt, toMs)) : 1);
    return {
      quoteVolume,
      volume: quoteVolume / exactPriceAt(toMs),
      trades: dollars > 0 ? Math.ceil(dollars / TRADE_DOLLARS) : 0,
    };
  }

  /** A bar within one hour. */
  function shortBar(openMs: number, closeMs: number): Bar | undefined {
    if (isSilent(Math.floor(openMs / HOUR_MS)) || closeMs <= openMs) return undefined;
    const { open, high, low, close } = candle(venue, undefined, openMs, closeMs - openMs, closeMs);
    return {
      openMs,
      open: rounded(open),
      high: rounded(high),
      low: rounded(low),
      close: rounded(close),
      ...traded(openMs, closeMs),
    };
  }

  function barBetween(fromMs: number, toMs: number): Bar | undefined {
    const start = Math.max(fromMs, asset.firstMs);
    const end = Math.min(toMs, endMs());
    let sum: Bar | undefined;
    for (let at = start; at < end; ) {
      const next = Math.min((Math.floor(at / HOUR_MS) + 1) * HOUR_MS, end);
      sum = folded(sum, shortBar(at, next));
      at = next;
    }
    return sum && { ...sum, openMs: fromMs };
  }

  return {
    decimals,
    priceAt,
    bar: (openMs, intervalMs, nowMs) => barBetween(openMs, Math.min(openMs + intervalMs, nowMs)),
    day: (nowMs) => barBetween(nowMs - DAY_MS, nowMs),
  };
}

function folded(sum: Bar | undefined, bar: Bar | undefined): Bar | undefined {
  if (!sum || !bar) return sum ?? bar;
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

/** What an exchange that leaves no interval out tells of one without trades: the price of the last one. */
export function flatBar(tape: Tape, openMs: number): Bar | undefined {
  const price = tape.priceAt(openMs);
  if (price === 0) return undefined;
  return { openMs, open: price, high: price, low: price, close: price, volume: 0, quoteVolume: 0, trades: 0 };
}

/** The bars that open from one instant to another (inclusive), ascending; those without trades only if `isGapless`. */
export function barsBetween(
  tape: Tape,
  { fromMs, toMs, intervalMs, nowMs }: Record<'fromMs' | 'toMs' | 'intervalMs' | 'nowMs', number>,
  isGapless: boolean,
): Bar[] {
  const bars: Bar[] = [];
  const last = Math.min(toMs, nowMs - 1);
  for (let openMs = Math.ceil(fromMs / intervalMs) * intervalMs; openMs <= last; openMs += intervalMs) {
    const bar = tape.bar(openMs, intervalMs, nowMs) ?? (isGapless ? flatBar(tape, openMs) : undefined);
    if (bar) bars.push(bar);
  }
  return bars;
}
