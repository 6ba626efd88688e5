/** Loaded when a provider has to be asked for history: most charts come from the store. */
import { published, tickersAtHand } from '../../shared/marketdata/at-hand.ts';
import { lifetimes } from '../../shared/marketdata/lifetimes.ts';
import { ownHistory } from '../../shared/marketdata/own-history.ts';
import { currentSnapshot } from '../../shared/marketdata/store/current-snapshot.ts';
import type { Ticker } from '../../shared/marketdata/ticker.ts';
import { type Upstream, upstreamOf } from '../../shared/marketdata/upstream.ts';
import type { Environment } from '../../shared/platform/environment.ts';
import { clientFor, spareClientFor } from '../../shared/providers/index.ts';
import { entryOf } from '../../shared/registry/container.ts';

export function upstreamFor(environment: Environment): Upstream {
  const offers = ['candles', 'prices'] as const;
  const [client, spare] = [clientFor(environment, ...offers), spareClientFor(environment, ...offers)];
  return upstreamOf(client, spare, (id) => priceAtHand(environment, id));
}

/**
 * A coin's price in USD that is ours already: of the snapshot or its tail, of a ticker that a caller asked for, or the
 * last one stored. Nobody is asked for one. Undefined: none is known of late.
 */
async function priceAtHand(environment: Environment, id: string): Promise<number | undefined> {
  const entry = entryOf(id);
  const [atHand] = entry
    ? await tickersAtHand(environment, [entry])
    : [published(await currentSnapshot(environment), id, Date.now())];
  const price = atHand?.ticker.quotes.USD.price ?? (await askedTicker(environment, id))?.quotes.USD.price;
  return price ?? (await storedPrice(environment, id));
}

/** The ticker that was asked for last, here or in another instance. */
async function askedTicker(environment: Environment, id: string): Promise<Ticker | undefined> {
  const client = clientFor(environment, 'ticker');
  const key = `ticker/${id}`;
  const kept = client.cache.kept<Ticker>(key) ?? (await client.recall<Ticker>(key));
  return kept && Date.now() < kept.staleUntil ? kept.data : undefined;
}

async function storedPrice(environment: Environment, id: string): Promise<number | undefined> {
  const own = await ownHistory(environment);
  const to = Date.now();
  const from = to - lifetimes.comparedForMs;
  try {
    const stored = await own?.store.rows(id, { base: '24h', from, to }, own.snapshot);
    const last = stored?.candles.at(-1);
    return last && last.lastAt >= from ? last.close : undefined;
  } catch {
    return undefined; // The chart says so itself if the store fails.
  }
}
