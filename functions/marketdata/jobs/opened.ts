/** Objects that jobs read besides their own stores. */
import { ApiError } from '../../../shared/http/errors.ts';
import type { ProviderClient } from '../../../shared/marketdata/provider.ts';
import { UnusableAnswer } from '../../../shared/marketdata/provider.ts';
import type { Known } from '../../../shared/marketdata/serve/current-ticker.ts';
import { chosen } from '../../../shared/marketdata/serve/other-prices.ts';
import { rowIn } from '../../../shared/marketdata/serve/price-now.ts';
import { SNAPSHOT_NAME, SNAPSHOT_PREFIX } from '../../../shared/marketdata/store/current-snapshot.ts';
import { openSnapshot, type Snapshot } from '../../../shared/marketdata/store/snapshot.ts';
import { openTail, type StoredTail, TAIL_NAME, timesIn } from '../../../shared/marketdata/store/tail.ts';
import { objectsOf } from '../../../shared/platform/objects.ts';
import { openOnlyFrom } from '../../../shared/platform/stored-object.ts';

const READ_TIMEOUT_MS = 10_000;

const publishedIn = (bucket: string) => openOnlyFrom(objectsOf(bucket, SNAPSHOT_PREFIX));

/** The current snapshot; also undefined if it cannot be opened. Throws what the store throws. */
export async function publishedSnapshot(bucket: string): Promise<Snapshot | undefined> {
  return (await publishedIn(bucket)(SNAPSHOT_NAME, openSnapshot)).content;
}

/** The snapshot's tail; also undefined if it cannot be opened. Throws what the store throws. */
export async function publishedTail(bucket: string): Promise<StoredTail | undefined> {
  return (await publishedIn(bucket)(TAIL_NAME, openTail)).content;
}

/** What a job has read of current prices. */
export interface ReadPrices {
  readonly snapshot: Snapshot | undefined;
  readonly tail?: StoredTail | undefined;
}

/** A coin's price now in USD, in the order of `priceNow`; undefined if it is unknown, disputed or older than `maxAge` (in ms). */
export function priceIn(
  { snapshot, tail }: ReadPrices,
  id: string,
  maxAge: number,
  now = Date.now(),
): number | undefined {
  const row = tail?.row(id);
  const ofTail = tail && row && { price: row.price, madeAt: row.at, ...timesIn(tail, row) };
  return chosen<Known>([rowIn(snapshot, id), ofTail], maxAge, now)?.price ?? undefined;
}

/**
 * A coin's price in USD and its time, from one request for its ticker; null if the provider has none, or only one older than
 * `maxAge` (in ms). Throws ApiError if the request fails or may not be made now.
 */
export async function fetchedPrice(
  client: ProviderClient<'ticker'>,
  id: string,
  maxAge: number,
): Promise<{ readonly price: number; readonly at: number } | null> {
  try {
    const request = client.provider.ticker(id);
    const { data, madeAt } = await client.fetch(request, Date.now() + READ_TIMEOUT_MS);
    const { price } = data.quotes.USD;
    return price !== null && Date.now() - madeAt < maxAge ? { price, at: madeAt } : null;
  } catch (error) {
    const isAnswer = error instanceof ApiError && error.statusCode === 404;
    if (isAnswer || error instanceof UnusableAnswer) return null;
    throw error;
  }
}
