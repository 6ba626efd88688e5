import { published } from '../../../shared/marketdata/serve/current.ts';
import type { Environment } from '../../../shared/platform/environment.ts';
import { listedSnapshot } from '../listing/current.ts';
import { listingOf } from '../listing/listing.ts';
import { compare, placeOf, type Sort } from '../listing/order.ts';
import { foundItem } from './answer.ts';
import { cursorOf, placeIn } from './cursor.ts';
import type { Answered } from './named.ts';

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly sort: Sort;
}

export interface Page extends Answered {
  readonly nextCursor: string | null;
}

/** So many coins of the snapshot strictly after the cursor's place. Throws the 400 of a cursor, and 503. */
export async function listedPage(
  environment: Environment,
  { limit, cursor, sort }: PageQuery,
): Promise<Page> {
  const snapshot = await listedSnapshot(environment);
  const now = Date.now();
  const after = cursor === undefined ? undefined : placeIn(cursor, sort);
  const tickers = [];
  let last: string | undefined;
  for (const coin of listingOf(snapshot).by(sort)) {
    const place = placeOf(coin, sort);
    // The coin that the page before ended with may have moved.
    if (after && (coin.id === after.id || compare(place, after, sort) <= 0)) continue;
    const found = published(snapshot, coin.id, now);
    if (!found) continue;
    if (tickers.length === limit) return { ...page(tickers), nextCursor: last ?? null };
    tickers.push(found);
    if (tickers.length === limit) last = cursorOf(place, sort);
  }
  return { ...page(tickers), nextCursor: null };
}

function page(tickers: Answered['tickers']): Answered {
  return { tickers, results: tickers.map((found) => foundItem(found)) };
}
