import type { TokenPrice } from '../../../../shared/marketdata/sources/token.ts';

/** What a coin costs, by its contracts. */
export interface Counted {
  /** In USD. */
  readonly price: number;
  /** When one of them last had that price, in milliseconds since the epoch. */
  readonly at: number;
  /** One that has it. */
  readonly token: string;
}

export const LEAST_CONFIDENCE = 0.9;
const MAX_AGE_MS = 6 * 3_600_000;
const AGREEMENT = 1.05;

/**
 * The median of a coin's prices that agree within 5 %, if these are more than half of those that count: with a confidence
 * of at least 0.9, and not older than six hours. Undefined if there is none: of two that differ, nobody can tell which
 * contract is the coin's.
 */
export function countedPrice(prices: readonly TokenPrice[], now: number): Counted | undefined {
  const counting = prices
    .filter(({ confidence, at }) => confidence >= LEAST_CONFIDENCE && now - at <= MAX_AGE_MS)
    .toSorted((a, b) => a.price - b.price);
  const groups = counting.map(({ price: lowest }, index) =>
    counting.slice(index).filter(({ price }) => price <= lowest * AGREEMENT),
  );
  const agreeing = groups.reduce((a, b) => (b.length > a.length ? b : a), []);
  if (agreeing.length * 2 <= counting.length) return undefined;
  const middle = (agreeing.length - 1) / 2;
  const [below, above] = [agreeing[Math.floor(middle)], agreeing[Math.ceil(middle)]];
  if (!below || !above) return undefined;
  const price = (below.price + above.price) / 2;
  return { price, at: Math.max(...agreeing.map(({ at }) => at)), token: below.token };
}
