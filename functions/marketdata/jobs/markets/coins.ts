/** The coins that markets are compared with, and their quotes' values. */
import { PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import { isWithin, median } from '../../../../shared/marketdata/sources/market.ts';
import type { MappedMarket } from '../../../../shared/marketdata/sources/source-map.ts';
import { answersUntil, FAILOVER, type Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { tickerMadeAt } from '../../../../shared/marketdata/ticker.ts';
import { MAX_CLOCK_LEAD_MS } from '../../../../shared/platform/time.ts';
import { stableCoins } from '../candles/rates.ts';

/** A coin of the snapshot. */
export interface Coin {
  readonly id: string;
  /** The symbol as the provider writes it. */
  readonly symbol: string;
  /** In USD, if it is about as recent as this snapshot; otherwise null. */
  readonly price: number | null;
}

/** By id. */
export type Coins = ReadonlyMap<string, Coin>;

/** The free plan renews a ticker every ten minutes; one that is three times as old is no longer renewed. */
const MAX_AGE_MS = 30 * 60_000;

export function coinsOf(snapshot: Snapshot): Coins {
  const { takenAt, source } = snapshot;
  const coins = Array.from(snapshot.tickers(), ({ data, ...row }): [string, Coin] => {
    const { id, symbol, quotes } = data;
    const isOwn = row.source === source && row.storedAt === takenAt;
    const counts = isOwn && (tickerMadeAt(data) ?? takenAt) >= takenAt - MAX_AGE_MS;
    return [id, { id, symbol, price: counts ? quotes.USD.price : null }];
  });
  return new Map(coins);
}

/** Whether a snapshot may be compared with current prices. */
export function isComparable(snapshot: Snapshot, now: number): boolean {
  const isNow = snapshot.takenAt <= now + MAX_CLOCK_LEAD_MS && now < answersUntil(snapshot);
  // A snapshot made from exchanges' prices would always agree with them.
  return isNow && snapshot.source !== FAILOVER;
}

/** The accepted quotes of markets, the best first. */
export const QUOTES = ['USD', 'USDC', 'USDT'] as const satisfies MappedMarket['quote'][];
/** A quote's value in USD; undefined if unknown. */
export type Rates = Readonly<Record<MappedMarket['quote'], number | undefined>>;

/** Negative for a quote that cannot be converted to USD. */
export function quoteRank(quote: string): number {
  return (QUOTES as readonly string[]).indexOf(quote);
}

/** A price in USD of what an exchange calls by a symbol. */
export interface SymbolPrice {
  readonly symbol: string;
  readonly price: number;
}

/**
 * Rates of the stablecoins: the median of the price in the snapshot and those of each exchange that trades the coin against
 * USD. More than half of them have to agree with the median, so that two prices outvote a wrong one. If only two exist and
 * differ, the wrong one is unknown, and markets in that stablecoin have no price.
 */
export function ratesOf(coins: Coins, exchanges: readonly SymbolPrice[]): Rates {
  const rateOf = (symbol: keyof typeof stableCoins) => {
    const prices = exchanges.filter((one) => one.symbol === symbol).map(({ price }) => price);
    return agreedPrice([...prices, coins.get(stableCoins[symbol])?.price ?? 0].filter(isReasonable));
  };
  return { USD: 1, USDC: rateOf('USDC'), USDT: rateOf('USDT') };
}

function isReasonable(price: number): boolean {
  return isWithin(PARTS.depegged, price, 1);
}

function agreedPrice(prices: readonly number[]): number | undefined {
  if (prices.length === 0) return undefined;
  const middle = median(prices);
  const agreeing = prices.filter((price) => isWithin(PARTS.stablecoin, price, middle)).length;
  return agreeing * 2 > prices.length ? middle : undefined;
}
