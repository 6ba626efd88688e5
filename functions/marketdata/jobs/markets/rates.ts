import { symbolKey } from '../../../../shared/registry/fold.ts';
import { median } from '../median.ts';
import { isWithin } from '../off.ts';
import type { SeenCoin, SeenSnapshot } from './seen.ts';

export const QUOTES = ['USD', 'USDC', 'USDT'] as const;
export type MappedQuote = (typeof QUOTES)[number];
/** What a quote is worth in USD; undefined: nobody knows. */
export type Rates = Readonly<Record<MappedQuote, number | undefined>>;

/** A price in USD of something that an exchange names by its symbol. */
export interface SymbolPrice {
  readonly symbol: string;
  readonly price: number;
}

/** USDC was at 0.87 and USDT at 0.93 in their worst hours; beyond this it is another thing, or none that is stable. */
const REASONABLE = { from: 0.5, to: 1.5 } as const;
/** How far witnesses may be from their median. */
const AGREEMENT = 0.02;

/**
 * Rates of the stable coins, by the median of those who know one: the snapshot, and each exchange that has the stable
 * coin against USD. More than half of them have to agree with it, so that one that is wrong is outvoted by two; of two
 * that differ nobody knows which one is right, and then the stable coin's markets say nothing.
 */
export function ratesOf(snapshot: SeenSnapshot | undefined, exchanges: readonly SymbolPrice[]): Rates {
  const rateOf = (symbol: string) => {
    const told = exchanges.filter((one) => one.symbol === symbol).map(({ price }) => price);
    const own = snapshot && tickerPrice(snapshot, symbol);
    return agreed([...told, ...(own === undefined ? [] : [own])].filter(isReasonable));
  };
  return { USD: 1, USDC: rateOf('USDC'), USDT: rateOf('USDT') };
}

/** Of the best-ranked coin with that symbol and a price within reason. */
function tickerPrice({ coins }: SeenSnapshot, symbol: string): number | undefined {
  const key = symbolKey(symbol);
  return coins
    .filter((coin) => coin.isActive && isRanked(coin) && symbolKey(coin.symbol) === key)
    .toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .flatMap(({ price }) => price ?? [])
    .find(isReasonable);
}

export function isRanked({ rank }: Pick<SeenCoin, 'rank'>): boolean {
  return rank !== null && rank > 0;
}

function isReasonable(price: number): boolean {
  return price >= REASONABLE.from && price <= REASONABLE.to;
}

function agreed(prices: readonly number[]): number | undefined {
  if (prices.length === 0) return undefined;
  const middle = median(prices);
  const agreeing = prices.filter((price) => isWithin(AGREEMENT, price, middle)).length;
  return agreeing * 2 > prices.length ? middle : undefined;
}
