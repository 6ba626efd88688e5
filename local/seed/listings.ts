import type { MappedMarket } from '../../shared/marketdata/sources/source-map.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import {
  type ExchangeName,
  marketIdOf,
  type SimulatedMarket,
  type SimulatedSources,
} from '../exchanges/index.ts';
import type { World } from '../provider/index.ts';
import { priceAt } from '../provider/market.ts';

/** An open market of a simulated exchange that trades a coin of the provider's list. */
export interface Listing {
  readonly coinId: string;
  readonly exchange: ExchangeName;
  /** The market's id there. */
  readonly market: string;
  readonly quote: MappedMarket['quote'];
  readonly base: string;
  readonly tape: SimulatedMarket['tape'];
}

/** What a quote is worth in USD: at the end of the day in which the time is (ms since the epoch), or now. */
export type RateAt = (quote: MappedMarket['quote'], time: number) => number;

/** All that is traded, and at which rates. */
export interface Listings {
  /** The preferred exchange first, and its markets in USD before those in USDC and USDT. */
  readonly all: readonly Listing[];
  /** By coin id, the market of each exchange that candles are taken from. */
  readonly coins: ReadonlyMap<string, readonly Listing[]>;
  readonly rateAt: RateAt;
}

const stableCoins = { USDC: 'usdc-usd-coin', USDT: 'usdt-tether' } as const;

/** The markets of these exchanges, the preferred one first, as they are when it is called. */
export function listingsOf(
  sources: Pick<SimulatedSources, ExchangeName>,
  exchanges: readonly ExchangeName[],
  world: World,
): Listings {
  const all = exchanges.flatMap((exchange) =>
    sources[exchange].markets
      .flatMap((market): Listing[] => {
        const { coinId, base, quote, tape, state } = market;
        if (coinId === null || state !== 'open') return [];
        return [{ coinId, exchange, market: marketIdOf(exchange, market), base, quote, tape }];
      })
      .sort((a, b) => (a.quote < b.quote ? -1 : Number(a.quote > b.quote))),
  );
  const coins = new Map<string, Listing[]>();
  for (const listing of all) {
    const others = coins.get(listing.coinId) ?? [];
    const isFirst = others.every(({ exchange }) => exchange !== listing.exchange);
    if (isFirst) coins.set(listing.coinId, [...others, listing]);
  }
  return { all, coins, rateAt: ratesOf(coins, world) };
}

/** A stable coin is worth what its own market in USD says; without one, what the provider does. */
function ratesOf(coins: Listings['coins'], { market, now }: World): RateAt {
  const known = new Map<string, number>();
  const startedAt = now();

  function rateAtEnd(id: string, day: number): number {
    const asset = market.asset(id);
    const end = day + DAY_MS;
    if (!asset) return 1;
    if (end > startedAt) return priceAt(asset, startedAt);
    const own = coins.get(id)?.find(({ quote }) => quote === 'USD');
    return own?.tape.bar(day, DAY_MS, startedAt)?.close ?? priceAt(asset, end);
  }

  return (quote, time) => {
    if (quote === 'USD') return 1;
    const id = stableCoins[quote];
    const day = Math.floor(time / DAY_MS) * DAY_MS;
    const rate = known.get(`${id} ${day}`) ?? rateAtEnd(id, day);
    known.set(`${id} ${day}`, rate);
    return rate;
  };
}
