/** What is known of the simulated exchanges, as the jobs would have found out if they had run for a while. */
import {
  type CoinQuote,
  ENOUGH,
  type ExchangeState,
  type MarketState,
  mapText,
  quotesText,
  SOURCES_PREFIX,
  sourceObjects,
} from '../../shared/marketdata/sources/source-map.ts';
import { backfillNote } from '../../shared/marketdata/store/backfill-note.ts';
import { DAY_MS } from '../../shared/marketdata/store/reader.ts';
import type { StoredObjects } from '../object-folder.ts';
import { SAMPLE_MS } from './candles.ts';
import type { Listing, Listings } from './listings.ts';

/**
 * Puts which market is which coin, what the markets say, and that the past of these coins is stored: otherwise it would
 * take three snapshots and some hundred requests. What is there already is kept.
 */
export function seedSources(objects: StoredObjects, bucket: string, listings: Listings, now: number): void {
  const beginning = `/${bucket}/${SOURCES_PREFIX}`;
  const isThere = (name: string) => objects.get(beginning + name) !== undefined;
  const put = (name: string, text: string) => objects.set(beginning + name, Buffer.from(text));

  if (!isThere(sourceObjects.map)) {
    put(sourceObjects.map, mapText(mapOf(listings, now)));
    put(sourceObjects.quotes, quotesText({ takenAt: now, coins: quotesOf(listings, now) }));
  }
  if (!isThere(sourceObjects.filled)) {
    const through = Math.floor(now / DAY_MS) * DAY_MS;
    const coins = Array.from(
      listings.coins.keys(),
      (id) => [id, { through, at: now, failed: false }] as const,
    );
    put(sourceObjects.filled, JSON.stringify(backfillNote(new Map(coins))));
  }
}

function mapOf({ all, coins }: Listings, now: number) {
  // The snapshot before the one that is published now was the last of those that it took.
  const takenAt = now - SAMPLE_MS;
  const since = now - ENOUGH.agreed * SAMPLE_MS;
  const exchanges = [...Map.groupBy(all, ({ exchange }) => exchange)].map(
    ([exchange, listings]): ExchangeState => ({
      exchange,
      listedAt: 0, // so that the next run asks for the whole list
      listed: listings.length,
      markets: listings.map((listing) => stateOf(listing, since, takenAt)),
    }),
  );
  const mapped = Array.from(coins, ([id, markets]) => {
    const ofCoin = markets.map(({ exchange, market, quote }) => ({
      exchange,
      market,
      quote,
      since: takenAt,
    }));
    return [id, ofCoin] as const;
  });
  return { coins: new Map(mapped), state: { takenAt, exchanges }, at: takenAt };
}

function stateOf(
  { coinId: coin, market, base, quote }: Listing,
  since: number,
  takenAt: number,
): MarketState {
  const counts = { agreed: ENOUGH.agreed, far: 0, ahead: 0, unconfirmed: 0 };
  return {
    ...{ market, base, quote, isOpen: true, last: null, lost: null },
    mapped: { coin, since: takenAt },
    candidates: [{ coin, ...counts, verdict: 'agrees', since }],
  };
}

function quotesOf({ coins, rateAt }: Listings, now: number): Map<string, CoinQuote[]> {
  const said = Array.from(coins, ([id, listings]) => {
    const quotes = listings.map(({ exchange, market, quote, tape }) => {
      return { exchange, market, price: tape.priceAt(now) * rateAt(quote, now), change: null, at: null };
    });
    return [id, quotes.filter(({ price }) => price > 0)] as const;
  });
  return new Map(said.filter(([, quotes]) => quotes.length > 0));
}
