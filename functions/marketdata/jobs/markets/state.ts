import type { Listings } from '../../../../shared/marketdata/sources/listings.ts';
import type { MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type {
  ExchangeState,
  MappedMarket,
  MarketState,
  SourceMap,
  SourceState,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { backedBy, type Priced, statedCoins, withCoin, withMisses, withStatus } from './coin-of-market.ts';
import { type Coins, QUOTES, quoteRank, type Rates, ratesOf, type SymbolPrice } from './coins.ts';
import type { Fetched } from './exchange.ts';

export interface Run {
  /** The preferred exchange first; the state of others is dropped. */
  readonly fetched: readonly Fetched[];
  /** The provider's lists; undefined if they are missing or unreadable. */
  readonly listings: Listings | undefined;
  /** Undefined if none may be compared with current prices. */
  readonly snapshot: { readonly takenAt: number; readonly coins: Coins } | undefined;
  /** False for a coin that is known to be no longer traded. */
  readonly isActive: (id: string) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The result of a run. */
export interface Mapping extends SourceMap {
  readonly state: SourceState;
  /** The markets that lost their coin, with the coin and the reason. */
  readonly dropped: readonly string[];
}

/** Maps all markets: without a snapshot no market gets a coin, and none loses it for its price. */
export function mapMarkets(previous: SourceState | undefined, run: Run): Mapping {
  const { fetched, listings, snapshot, isActive, now } = run;
  const before = new Map(previous?.exchanges.map((state) => [state.exchange, state]));
  const exchanges = fetched.map((one) => ({
    state: listedState(before.get(one.exchange), one, now),
    traded: new Map(one.quotes?.filter(isTraded).map((quote) => [quote.market, quote])),
  }));
  const coins: Coins = snapshot?.coins ?? new Map();
  const rates = ratesOf(
    coins,
    exchanges.flatMap(({ state, traded }) => pricesInUsd(state, traded)),
  );
  const kept = exchanges.flatMap(({ state: { exchange, markets }, traded }) =>
    markets.map((market) => {
      const price = priceOf(market, traded.get(market.market), rates);
      return withStatus({ ...market, exchange, price }, { isActive, listing: listings?.get(exchange) });
    }),
  );
  const isBacked = backedBy(kept);
  const isNew = snapshot?.takenAt !== previous?.takenAt;
  const compared = kept.map((market) => withMisses(market, coins, { isBacked: isBacked(market), isNew }));
  const mapped = exchanges.map(({ state }) => {
    const own = compared.filter(({ exchange }) => exchange === state.exchange);
    const coinOf = statedCoins(own, listings?.get(state.exchange), coins);
    const markets = own.map((market) => {
      const stated = coinOf(market);
      return stated !== undefined && isActive(stated) ? withCoin(market, coins, stated, now) : market;
    });
    return { state, markets };
  });
  const all = mapped.flatMap(({ markets }) => markets);
  return {
    coins: preferred(mapped.map(({ markets }) => markets)),
    state: {
      takenAt: snapshot?.takenAt ?? previous?.takenAt ?? null,
      exchanges: mapped.map(({ state, markets }) => ({ ...state, markets: markets.map(stateOf) })),
    },
    dropped: all.flatMap(({ exchange, market, lost }) =>
      lost ? [`${exchange} ${market}: ${lost.coin} (${lost.why})`] : [],
    ),
  };
}

/** The exchange with the markets of its new list, if any, whose prices can be converted to USD. */
function listedState(
  before: ExchangeState | undefined,
  { exchange, markets }: Fetched,
  now: number,
): ExchangeState {
  if (!markets) return before ?? { exchange, listedAt: 0, listed: 0, markets: [] };
  const known = new Map(before?.markets.map((market) => [market.market, market]));
  const listed = markets.flatMap(({ id, base, quote: name, isOpen }): MarketState[] => {
    const quote = QUOTES.find((one) => one === name);
    if (!quote) return [];
    const own = known.get(id);
    return [{ market: id, base, quote, isOpen, mapped: own?.quote === quote ? own.mapped : null }];
  });
  const ids = new Set(listed.map(({ market }) => market));
  const gone = [...known.values()]
    .filter(({ market, mapped }) => !ids.has(market) && mapped)
    .map((market): MarketState => ({ ...market, isOpen: false }));
  return { exchange, listedAt: now, listed: markets.length, markets: [...listed, ...gone] };
}

/** False for a market without a trade within a day. */
function isTraded({ price, volume }: MarketQuote): boolean {
  return Number.isFinite(price) && price > 0 && Number.isFinite(volume) && volume > 0;
}

function pricesInUsd({ markets }: ExchangeState, traded: ReadonlyMap<string, MarketQuote>): SymbolPrice[] {
  return markets.flatMap(({ market, base, quote, isOpen }) => {
    const price = isOpen && quote === 'USD' ? traded.get(market)?.price : undefined;
    return price === undefined ? [] : [{ symbol: base, price }];
  });
}

function priceOf(
  { isOpen, quote }: MarketState,
  traded: MarketQuote | undefined,
  rates: Rates,
): number | null {
  const rate = rates[quote];
  return isOpen && traded && rate ? traded.price * rate : null;
}

function stateOf({ market, base, quote, isOpen, mapped }: MarketState): MarketState {
  return { market, base, quote, isOpen, mapped };
}

/** The mapped markets by coin, with one market of each exchange, the one closest to USD. */
function preferred(exchanges: readonly (readonly Priced[])[]): SourceMap['coins'] {
  const coins = new Map<string, MappedMarket[]>();
  for (const markets of exchanges) {
    const mappedHere = new Set<string>();
    for (const { exchange, market, quote, mapped } of markets.toSorted(byPreference)) {
      if (!mapped || mappedHere.has(mapped.coin)) continue;
      const { coin, since } = mapped;
      mappedHere.add(coin);
      coins.set(coin, [...(coins.get(coin) ?? []), { exchange, market, quote, since }]);
    }
  }
  return coins;
}

function byPreference(a: MarketState, b: MarketState): number {
  const byQuote = quoteRank(a.quote) - quoteRank(b.quote);
  const bySince = (a.mapped?.since ?? 0) - (b.mapped?.since ?? 0);
  return byQuote || bySince || (a.market < b.market ? -1 : 1);
}
