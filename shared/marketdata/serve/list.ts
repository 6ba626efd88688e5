/** The coins of the ticker snapshot in each sort order, page by page. */
import { ApiError } from '../../http/errors.ts';
import { invalidParameter } from '../../http/middleware/input.ts';
import { oncePer } from '../../platform/caches.ts';
import type { Environment } from '../../platform/environment.ts';
import { lifetimes } from '../freshness.ts';
import { currentSnapshot } from '../store/current-snapshot.ts';
import { type Listed, type ListedCoin, listedCoins } from '../store/listed-coins.ts';
import { answersUntil, type Snapshot } from '../store/snapshot.ts';

/** All coins of one snapshot. */
interface CoinList {
  readonly coins: readonly ListedCoin[];
  /** Sorted when an order is first used. */
  by(order: Order): readonly ListedCoin[];
}

/** Rank ascending; the others descending. */
export const sorts = ['rank', 'volume', 'change_24h'] as const;
export type Sort = (typeof sorts)[number];
type Order = Sort | 'market_cap';

/** A coin's place in an order. Two places can be compared without the list. */
interface Place {
  /** The figure to sort by; null comes last. */
  readonly value: number | null;
  readonly rank: number | null;
  readonly id: string;
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: Sort;
}

/** A container without a snapshot looks for one every ten seconds. */
const headers = { 'retry-after': '10' };

/** The container's snapshot. Throws 503 without one, or if it is too old to serve. */
export async function listedSnapshot(environment: Environment): Promise<Snapshot> {
  const snapshot = await currentSnapshot(environment);
  if (snapshot && Date.now() < answersUntil(snapshot) + lifetimes.ticker.staleForMs) return snapshot;
  const next = 'try again soon, or fetch single coins from /api/marketdata/ticker/{id}';
  throw new ApiError(503, `No list of tickers is available; ${next}`, { headers });
}

const orderedOf = oncePer((list: Listed): CoinList => {
  const coins = listedCoins(list);
  const orders = new Map<Order, readonly ListedCoin[]>();
  return {
    coins,
    by(sort) {
      const sorted = orders.get(sort) ?? inOrder(coins, sort);
      orders.set(sort, sorted);
      return sorted;
    },
  };
});

/** Held for as long as the list is: markets' prices come more often, and order nothing. */
export function coinListOf({ list }: Snapshot): CoinList {
  return orderedOf(list);
}

function inOrder(coins: readonly ListedCoin[], sort: Order): readonly ListedCoin[] {
  return coins
    .map((coin) => ({ coin, place: placeOf(coin, sort) }))
    .sort((a, b) => compare(a.place, b.place, sort))
    .map(({ coin }) => coin);
}

function placeOf({ id, rank, volume, marketCap, change24h }: ListedCoin, order: Order): Place {
  return { id, rank, value: { rank, volume, market_cap: marketCap, change_24h: change24h }[order] };
}

/** Negative if `a` comes first. Equal values are ordered by rank, equal ranks by id. */
function compare(a: Place, b: Place, sort: Order): number {
  return (
    nullsLast(a.value, b.value, sort === 'rank' ? 1 : -1) ||
    nullsLast(a.rank, b.rank, 1) ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

function nullsLast(a: number | null, b: number | null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return (a - b) * direction;
}

/** The first coins by rank that have a ticker. */
export function firstByRank(snapshot: Snapshot, count: number): string[] {
  const now = Date.now();
  const coins = coinListOf(snapshot).by('rank');
  const present = coins.filter(({ staleUntil }) => now < staleUntil);
  return present.slice(0, count).map(({ id }) => id);
}

/**
 * The coins after the cursor's place that have a ticker, at most `limit`, and the cursor of the next page; null on the last
 * one. Throws 400 for a text that is no cursor of this order.
 */
export function pageOf(
  snapshot: Snapshot,
  { limit, cursor, sort }: PageQuery,
  now: number,
): { readonly ids: string[]; readonly nextCursor: string | null } {
  const after = cursor === undefined ? undefined : placeIn(cursor, sort);
  const ids: string[] = [];
  let nextCursor: string | null = null;
  for (const coin of coinListOf(snapshot).by(sort)) {
    const place = placeOf(coin, sort);
    // The last coin of the previous page may have moved.
    if (after && (coin.id === after.id || compare(place, after, sort) <= 0)) continue;
    if (now >= coin.staleUntil) continue;
    if (ids.length === limit) return { ids, nextCursor };
    ids.push(coin.id);
    if (ids.length === limit) nextCursor = cursorOf(place, sort);
  }
  return { ids, nextCursor: null };
}

/**
 * The place of a page's last coin as a text for the next request. It holds the sorted figures instead of a position, so it stays
 * valid in the next snapshot.
 */
function cursorOf({ value, rank, id }: Place, sort: Sort): string {
  return Buffer.from(JSON.stringify([sort, value, rank, id])).toString('base64url');
}

function placeIn(cursor: string, sort: Sort): Place {
  const [ofSort, value, rank, id] = fieldsOf(cursor);
  if (!isFigure(value) || !isFigure(rank) || typeof id !== 'string')
    throw invalidParameter('cursor', cursor, 'nextCursor of the page before');
  if (ofSort !== sort) throw invalidParameter('cursor', cursor, `one that sort=${sort} gave`);
  return { value, rank, id };
}

function fieldsOf(cursor: string): readonly unknown[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(fields) ? fields : [];
  } catch {
    return [];
  }
}

function isFigure(value: unknown): value is number | null {
  return value === null || Number.isFinite(value);
}
