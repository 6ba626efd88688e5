/** The map of markets to coins and the markets' data, as the jobs would have stored them after a while. */
import { addressOn, chainOfCoin } from '../../shared/chains.ts';
import { LISTINGS_NAME, listingOf, listingsText } from '../../shared/marketdata/sources/listings.ts';
import {
  mapText,
  quotesText,
  SOURCES_PREFIX,
  sourceObjects,
} from '../../shared/marketdata/sources/source-map.ts';
import { CONTRACTS_NAME, contractsText } from '../../shared/marketdata/store/contracts.ts';
import type { StoredObjects } from '../object-folder.ts';
import { marketIdOf, type Simulated } from './index.ts';
import { DAY_MS, priceAt } from './market.ts';
import { quoteCoins, type SimulatedMarket } from './markets.ts';
import { type ExchangeName, exchangeNames, type QuoteSymbol } from './protocols.ts';
import { contractsOf } from './tokens.ts';

const SNAPSHOT_MS = 600_000;

/** An open market of an exchange that trades a coin of the provider's list. */
export interface Listing extends Pick<SimulatedMarket, 'base' | 'quote' | 'tape'> {
  readonly coinId: string;
  readonly exchange: ExchangeName;
  /** The market's id there. */
  readonly market: string;
}

/** The value of a quote in USD: at the end of the hour or day of that time (ms since the epoch), or now if the day still runs. */
export type RateAt = (quote: QuoteSymbol, time: number, stepMs: number) => number;

export interface Listings {
  /** The preferred exchange first, and its markets in USD before those in USDC and USDT. */
  readonly all: readonly Listing[];
  /** The market of each exchange that candles are taken from, by coin id. */
  readonly coins: ReadonlyMap<string, readonly Listing[]>;
  readonly rateAt: RateAt;
}

/** The current markets of these exchanges, the preferred one first. */
export function listingsOf(simulated: Simulated, exchanges: readonly string[]): Listings {
  const all = exchanges.flatMap((name) => {
    const exchange = exchangeNames.find((known) => known === name);
    if (!exchange) return [];
    const listings = simulated[exchange].markets.flatMap(
      ({ coinId, base, quote, tape, state }): Listing[] => {
        if (coinId === null || state !== 'open') return [];
        return [{ coinId, exchange, market: marketIdOf(exchange, { base, quote }), base, quote, tape }];
      },
    );
    return listings.toSorted((a, b) => (a.quote < b.quote ? -1 : Number(a.quote > b.quote)));
  });
  const coins = new Map<string, Listing[]>();
  for (const listing of all) {
    const others = coins.get(listing.coinId) ?? [];
    const isFirst = others.every(({ exchange }) => exchange !== listing.exchange);
    if (isFirst) coins.set(listing.coinId, [...others, listing]);
  }
  return { all, coins, rateAt: ratesOf(coins, simulated) };
}

/** A stablecoin has its own USD market's price; without one, the provider's. */
function ratesOf(coins: Listings['coins'], { market, now }: Simulated): RateAt {
  const known = new Map<string, number>();
  const startedAt = now();
  function rateAtEnd(id: string, opensAt: number, stepMs: number): number {
    const asset = market.asset(id);
    if (!asset) return 1;
    if (Math.floor(opensAt / DAY_MS) * DAY_MS + DAY_MS > startedAt) return priceAt(asset, startedAt);
    const own = coins.get(id)?.find(({ quote }) => quote === 'USD');
    return own?.tape.bar(opensAt, stepMs, startedAt)?.close ?? priceAt(asset, opensAt + stepMs);
  }
  return (quote, time, stepMs) => {
    const id = quoteCoins[quote];
    if (id === undefined) return 1;
    const opensAt = Math.floor(time / stepMs) * stepMs;
    const key = `${id} ${stepMs} ${opensAt}`;
    const rate = known.get(key) ?? rateAtEnd(id, opensAt, stepMs);
    known.set(key, rate);
    return rate;
  };
}

/**
 * Stores the provider's lists of markets, the map of markets to coins and the markets' data, which would otherwise follow the
 * first snapshot. Existing objects are kept.
 */
export function seedSources(objects: StoredObjects, bucket: string, listings: Listings, now: number): void {
  const beginning = `/${bucket}/${SOURCES_PREFIX}`;
  if (objects.get(beginning + sourceObjects.map)) return;
  const put = (name: string, text: string) => objects.set(beginning + name, Buffer.from(text));
  const lists = Array.from(
    Map.groupBy(listings.all, ({ exchange }) => exchange),
    ([exchange, ones]) => {
      return [exchange, listingOf(ones, now)] as const;
    },
  );
  put(LISTINGS_NAME, listingsText(new Map(lists)));
  put(sourceObjects.map, mapText(mapOf(listings, now)));
  put(sourceObjects.quotes, quotesText({ takenAt: now, coins: quotesOf(listings, now) }));
}

/**
 * Stores the map of contracts to coins, which the job of a new service completes only after a while. Existing objects
 * are kept.
 */
export function seedContracts(objects: StoredObjects, bucket: string, { market }: Simulated): void {
  const path = `/${bucket}/${SOURCES_PREFIX}${CONTRACTS_NAME}`;
  if (objects.get(path)) return;
  const list = [...chainOfCoin].map(([platform, chain]) => {
    const contracts = contractsOf(market, platform)?.filter(({ active }) => active) ?? [];
    return [
      chain.name,
      new Map(contracts.map(({ address, id }) => [addressOn(chain, address) ?? address, id])),
    ] as const;
  });
  objects.set(path, Buffer.from(contractsText(new Map(list.filter(([, { size }]) => size > 0)))));
}

function mapOf({ all, coins }: Listings, now: number): Parameters<typeof mapText>[0] {
  // As if all had been mapped with the previous snapshot.
  const since = now - SNAPSHOT_MS;
  const exchanges = [...Map.groupBy(all, ({ exchange }) => exchange)].map(([exchange, listings]) => ({
    ...{ exchange, listed: listings.length, listedAt: 0 }, // so that the next run fetches the whole list
    markets: listings.map(({ coinId: coin, market, base, quote }) => ({
      ...{ market, base, quote, isOpen: true, mapped: { coin, since, misses: 0 } },
    })),
  }));
  const mapped = Array.from(coins, ([id, markets]) => {
    return [id, markets.map(({ exchange, market, quote }) => ({ exchange, market, quote, since }))] as const;
  });
  return { coins: new Map(mapped), state: { takenAt: since, exchanges }, at: since };
}

function quotesOf({ coins, rateAt }: Listings, now: number): Parameters<typeof quotesText>[0]['coins'] {
  const all = Array.from(coins, ([id, listings]) => {
    const quotes = listings.map(({ exchange, market, quote, tape }) => {
      const price = tape.priceAt(now) * rateAt(quote, now, DAY_MS);
      return { exchange, market, price, change: null, at: null };
    });
    return [id, quotes.filter(({ price }) => price > 0)] as const;
  });
  return new Map(all.filter(([, quotes]) => quotes.length > 0));
}
