import { lifetimes } from '../../../../shared/marketdata/lifetimes.ts';
import { answersUntil } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import type { Tail, TailRow } from '../../../../shared/marketdata/tail/tail-file.ts';
import type { Asked, CoinTokens } from './ask-prices.ts';
import { type Counted, countedPrice } from './counted.ts';
import type { References } from './references.ts';

export interface Priced {
  readonly counted: ReadonlyMap<string, Counted>;
  /** Coins whose price is too far from the provider's own. */
  readonly refused: ReadonlySet<string>;
}

/** The prices that count, of what a source said. */
export function pricedCoins(
  { prices }: Pick<Asked, 'prices'>,
  references: Pick<References, 'refuses'>,
  now: number,
): Priced {
  const counted = new Map<string, Counted>();
  const refused = new Set<string>();
  for (const [id, ofCoin] of prices) {
    const price = countedPrice(ofCoin, now);
    if (!price) continue;
    if (references.refuses(id, price.price, now)) refused.add(id);
    else counted.set(id, price);
  }
  return { counted, refused };
}

/**
 * Rows of the tail before, of coins that still belong to it and of which nothing is known now: nobody was asked, or the
 * price does not count. They stand in as long as the snapshot's do.
 */
export function carriedRows(
  before: Tail | undefined,
  coins: readonly CoinTokens[],
  { counted, refused }: Priced,
  now: number,
): TailRow[] {
  if (!before) return [];
  const belonging = new Set(coins.map(({ id }) => id));
  const intervalMs = before.intervalSeconds * 1000;
  return before.rows.filter(
    ({ id, takenAt }) =>
      belonging.has(id) &&
      !counted.has(id) &&
      !refused.has(id) &&
      takenAt <= now &&
      now < answersUntil({ takenAt, intervalMs }) + lifetimes.ticker.staleForMs,
  );
}

/** Those first whose price is the oldest, so that a run that ends early does not leave out the same ones every time. */
export function inTurn(coins: readonly CoinTokens[], before: Tail | undefined): readonly CoinTokens[] {
  if (!before) return coins;
  const takenAt = new Map(before.rows.map((row) => [row.id, row.takenAt]));
  const timeOf = ({ id }: CoinTokens) => takenAt.get(id) ?? before.takenAt;
  return coins.toSorted((a, b) => timeOf(a) - timeOf(b));
}
