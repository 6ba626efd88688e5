import { lifetimes } from '../../../../shared/marketdata/lifetimes.ts';
import { answersUntil } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import type { Tail, TailRow } from '../../../../shared/marketdata/tail/tail-file.ts';
import type { Asked, CoinTokens } from './ask-prices.ts';
import { type Counted, countedPrice } from './counted.ts';
import { contractsKey } from './held.ts';
import type { AskProvider, Offers, References } from './references.ts';

export interface Priced {
  readonly counted: ReadonlyMap<string, Counted>;
  /** Coins whose price is held back. */
  readonly held: ReadonlySet<string>;
}

/** By coin, by rank: the prices that count, of what a source said; undefined: it was asked, and none does. */
export function countedPrices(
  { prices }: Pick<Asked, 'prices'>,
  coins: readonly CoinTokens[],
  now: number,
): ReadonlyMap<string, Counted | undefined> {
  return new Map(
    coins.flatMap(({ id }) => {
      const ofCoin = prices.get(id);
      return ofCoin ? [[id, countedPrice(ofCoin, now)] as const] : [];
    }),
  );
}

interface Judging {
  readonly coins: readonly CoinTokens[];
  readonly before: Tail | undefined;
  readonly references: References;
  readonly askProvider: AskProvider;
  readonly takenAt: number;
  readonly intervalSeconds: number;
}

/** Those of the prices that may be published, after a look at what the provider says itself. */
export async function judged(
  prices: ReadonlyMap<string, Counted | undefined>,
  { coins, before, references, askProvider, takenAt, intervalSeconds }: Judging,
): Promise<Priced> {
  const offers = coins.flatMap(({ id, tokens }) => {
    const price = prices.get(id)?.price;
    return price === undefined ? [] : [[id, { price, contracts: contractsKey(tokens) }] as const];
  });
  const run: Offers = {
    offers: new Map(offers),
    published: new Map(before?.rows.map(({ id, price }) => [id, price])),
    now: takenAt,
    intervalMs: intervalSeconds * 1000,
  };
  for (const [id, price] of prices) if (!price) references.missed(id);
  await references.ask(askProvider, run);
  const held = references.judge(run);
  const counted = [...prices].flatMap(([id, price]) =>
    price && !held.has(id) ? [[id, price] as const] : [],
  );
  return { counted: new Map(counted), held };
}

/**
 * Rows of the tail before, of coins that still belong to it and of which nothing is known now: nobody was asked, the
 * price does not count, or it is held back. They stand in as long as the snapshot's do.
 */
export function carriedRows(
  before: Tail | undefined,
  coins: readonly CoinTokens[],
  { counted }: Pick<Priced, 'counted'>,
  references: Pick<References, 'disowns'>,
  now: number,
): TailRow[] {
  if (!before) return [];
  const belonging = new Set(coins.map(({ id }) => id));
  const intervalMs = before.intervalSeconds * 1000;
  return before.rows.filter(
    ({ id, price, takenAt }) =>
      belonging.has(id) &&
      !counted.has(id) &&
      !references.disowns(id, price) &&
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
