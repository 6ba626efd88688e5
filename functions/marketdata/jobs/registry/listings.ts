/** The coins of exchanges' markets, which the provider lists. */
import type { ProviderClient } from '../../../../shared/marketdata/provider.ts';
import {
  LISTINGS_NAME,
  type Listing,
  type Listings,
  listingOf,
  listingsIn,
  listingsText,
  refusalOf,
} from '../../../../shared/marketdata/sources/listings.ts';
import { messageOf } from '../../../../shared/platform/message-of.ts';
import { count } from '../../../../shared/platform/metrics.ts';
import { replacing, retryOnConflict } from '../../../../shared/platform/objects.ts';
import { type Bucket, openFrom } from '../../../../shared/platform/stored-object.ts';

/** For one list, of some megabytes, with its retry: three of them fit into the function's time. */
const TIME_MS = 20_000;

/** The markets in each exchange's stored list, or why its last list is kept. */
export type ListingReport = Readonly<Record<string, number | string>>;

/**
 * Stores the provider's lists of these exchanges' markets, from one request each. A list that fails, or lost more than a fifth,
 * leaves that exchange's stored one (`SourceRefused`). Never throws: the registry has been published, and the stored lists stay.
 */
export async function storeListings(
  client: ProviderClient<'exchangeMarkets'>,
  exchanges: readonly string[],
  bucket: Bucket,
): Promise<ListingReport> {
  const report: Record<string, number | string> = {};
  const keep = (exchange: string, reason: string) => {
    count('SourceRefused');
    report[exchange] = reason;
  };
  const fetched = new Map<string, Listing>();
  for (const exchange of exchanges) {
    try {
      const request = client.provider.exchangeMarkets(exchange);
      const { data } = await client.fetch(request, Date.now() + TIME_MS);
      fetched.set(exchange, listingOf(data, Date.now()));
    } catch (error) {
      keep(exchange, messageOf(error));
    }
  }
  if (fetched.size === 0) return report;
  try {
    const { refused } = await retryOnConflict(() => replace(fetched, bucket));
    for (const [exchange, { coins }] of fetched) report[exchange] = coins.size;
    for (const [exchange, reason] of refused) keep(exchange, reason);
  } catch (error) {
    for (const exchange of fetched.keys()) keep(exchange, messageOf(error));
  }
  return report;
}

async function replace(fetched: Listings, bucket: Bucket) {
  const { content: before = new Map<string, Listing>(), etag } = await openFrom(bucket)(
    LISTINGS_NAME,
    listingsIn,
  );
  const refused = new Map<string, string>();
  const next = new Map(before);
  for (const [exchange, listing] of fetched) {
    const reason = refusalOf(listing, before.get(exchange));
    if (reason === undefined) next.set(exchange, listing);
    else refused.set(exchange, reason);
  }
  if (refused.size < fetched.size)
    await bucket.put(LISTINGS_NAME, listingsText(next), 'application/json', replacing(etag));
  return { refused };
}
