/** The figures of a row that coins are sorted and added up by; amounts in USD, changes in percent. */
export interface ListedCoin {
  readonly id: string;
  /** By market cap, from 1; null: unranked. */
  readonly rank: number | null;
  readonly price: number | null;
  readonly volume: number | null;
  readonly marketCap: number | null;
  readonly change24h: number | null;
  readonly source: string;
  readonly isDisputed: boolean;
  /** Whether a market of an exchange agrees with the price. */
  readonly isConfirmed: boolean;
  /** Whether it is of an earlier snapshot, or was old when this one was taken. */
  readonly isPast: boolean;
}

/** By rank ascending; by the others descending. */
export const sorts = ['rank', 'volume', 'change_24h'] as const;
export type Sort = (typeof sorts)[number];

/** A coin's place in an order, which needs no list: what is before and after it shows from the place alone. */
export interface Place {
  /** That which is sorted by; null comes last. */
  readonly value: number | null;
  readonly rank: number | null;
  readonly id: string;
}

export function placeOf(coin: ListedCoin, sort: Sort): Place {
  const { id, rank, volume, change24h } = coin;
  return { id, rank, value: { rank, volume, change_24h: change24h }[sort] };
}

/** Negative if `a` comes first. Equal values are in the order of their ranks, and those in that of their ids. */
export function compare(a: Place, b: Place, sort: Sort): number {
  const direction = sort === 'rank' ? 1 : -1;
  return (
    nullsLast(a.value, b.value, direction) ||
    nullsLast(a.rank, b.rank, 1) ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

function nullsLast(a: number | null, b: number | null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return (a - b) * direction;
}

export function inOrder(coins: readonly ListedCoin[], sort: Sort): readonly ListedCoin[] {
  return coins
    .map((coin) => ({ coin, place: placeOf(coin, sort) }))
    .sort((a, b) => compare(a.place, b.place, sort))
    .map(({ coin }) => coin);
}
