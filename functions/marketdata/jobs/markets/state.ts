import type { MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type {
  CoinQuote,
  CoinQuotes,
  ExchangeState,
  MappedMarket,
  MarketState,
  SourceMap,
  SourceState,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { backedBy, decided, openOnly, withCandidates } from './coin-of-market.ts';
import { type Coin, indexOf, QUOTES, quoteRank, type Rates, ratesOf, type SymbolPrice } from './coins.ts';
import type { Fetched } from './exchange.ts';

export interface Run {
  /** The preferred exchange first; the state of others is dropped. */
  readonly fetched: readonly Fetched[];
  /** Undefined if none may be compared with current prices. */
  readonly snapshot: { readonly takenAt: number; readonly coins: readonly Coin[] } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The state of all markets after a run: each market's coin, and how far the other candidates are. A snapshot counts once,
 * however many runs read it; without a new one, only markets' status and prices change.
 */
export function nextState(previous: SourceState | undefined, { fetched, snapshot, now }: Run): SourceState {
  const before = new Map(previous?.exchanges.map((state) => [state.exchange, state]));
  const listed = fetched.map((one) => ({
    state: listedState(before.get(one.exchange), one, now),
    traded: new Map(one.quotes?.filter(isTraded).map((quote) => [quote.market, quote])),
  }));
  const rates = ratesOf(
    snapshot?.coins ?? [],
    listed.flatMap(({ state, traded }) => pricesInUsd(state, traded)),
  );
  const exchanges = listed.map(({ state, traded }): ExchangeState => {
    const markets = state.markets.map((one) => ({
      ...one,
      last: lastOf(one, traded.get(one.market), rates),
    }));
    return { ...state, markets };
  });
  if (!snapshot || snapshot.takenAt === previous?.takenAt) {
    const open = exchanges.map((state) => ({
      ...state,
      markets: state.markets.map((market) => openOnly(market, now)),
    }));
    return { takenAt: previous?.takenAt ?? null, exchanges: open };
  }
  const { takenAt } = snapshot;
  const coins = indexOf(snapshot.coins);
  const isBacked = backedBy(exchanges, now);
  const compared = exchanges.map((state): ExchangeState => {
    const markets = state.markets.map((market) =>
      withCandidates(market, coins, { takenAt, isBacked: isBacked(state.exchange, market) }),
    );
    const bySymbol = [...Map.groupBy(markets, ({ base }) => base).values()];
    return { ...state, markets: bySymbol.flatMap((ones) => decided(ones, coins, now)) };
  });
  return { takenAt, exchanges: compared };
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
    // Otherwise it is another asset, or it was not traded for a while and its state is outdated.
    const isSame = own?.base === base && own.quote === quote;
    const { mapped = null, lost = null } = isSame ? own : {};
    const candidates = isSame && isOpen ? own.candidates : [];
    return [{ market: id, base, quote, isOpen, last: null, mapped, lost, candidates }];
  });
  const ids = new Set(listed.map(({ market }) => market));
  // Kept as long as it contains anything.
  const gone = [...known.values()]
    .filter(({ market, mapped, lost }) => !ids.has(market) && (mapped || lost))
    .map((market): MarketState => ({ ...market, isOpen: false, candidates: [] }));
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

function lastOf(
  { isOpen, quote }: MarketState,
  traded: MarketQuote | undefined,
  rates: Rates,
): MarketState['last'] {
  const rate = rates[quote];
  if (!isOpen || !traded || !rate) return null;
  return { price: traded.price * rate, volume: traded.volume * traded.price * rate };
}

/** The mapped markets by coin, with one market of each exchange, the one closest to USD; and their prices of this run. */
export function mappedIn(
  state: SourceState,
  { fetched, now: takenAt }: Pick<Run, 'fetched' | 'now'>,
): SourceMap & { readonly quotes: CoinQuotes } {
  const coins = new Map<string, MappedMarket[]>();
  const quotes = new Map<string, CoinQuote[]>();
  for (const { exchange, markets } of state.exchanges) {
    const own = fetched.find((one) => one.exchange === exchange)?.quotes;
    const byMarket = new Map(own?.map((one) => [one.market, one]));
    const mappedHere = new Set<string>();
    for (const { market, quote, mapped, last } of markets.toSorted(byPreference)) {
      if (!mapped || mappedHere.has(mapped.coin)) continue;
      const { coin, since } = mapped;
      mappedHere.add(coin);
      coins.set(coin, [...(coins.get(coin) ?? []), { exchange, market, quote, since }]);
      if (!last) continue;
      const { change = null, at = null } = byMarket.get(market) ?? {};
      quotes.set(coin, [...(quotes.get(coin) ?? []), { exchange, market, price: last.price, change, at }]);
    }
  }
  return { coins, quotes: { takenAt, coins: quotes } };
}

function byPreference(a: MarketState, b: MarketState): number {
  const byQuote = quoteRank(a.quote) - quoteRank(b.quote);
  const bySince = (a.mapped?.since ?? 0) - (b.mapped?.since ?? 0);
  return byQuote || bySince || (a.market < b.market ? -1 : 1);
}
