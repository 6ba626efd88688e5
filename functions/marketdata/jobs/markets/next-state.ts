import type { Market, MarketQuote } from '../../../../shared/marketdata/sources/market.ts';
import type {
  Candidate,
  ExchangeState,
  MarketState,
  SourceState,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { symbolKey } from '../../../../shared/registry/fold.ts';
import { backedBy } from './backed.ts';
import { type Coins, decided, openOnly } from './base-coin.ts';
import { counted, verdictOf } from './compare.ts';
import { isRanked, type MappedQuote, QUOTES, type Rates, ratesOf, type SymbolPrice } from './rates.ts';
import type { SeenCoin, SeenSnapshot, Told } from './seen.ts';

export interface Run {
  /** The preferred exchange first; those that are not among them are forgotten. */
  readonly told: readonly Told[];
  /** Undefined: there is none that may be compared with what is told now. */
  readonly snapshot: SeenSnapshot | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What is known of all markets after a run: which coin each trades, and how far the others are. A snapshot counts once,
 * however many runs see it; without a new one, markets are closed and tell prices, and nothing else changes.
 */
export function nextState(previous: SourceState | undefined, { told, snapshot, now }: Run): SourceState {
  const isNew = snapshot !== undefined && snapshot.takenAt !== previous?.takenAt;
  const before = new Map(previous?.exchanges.map((state) => [state.exchange, state]));
  const listed = told.map((one) => ({ ...one, state: listedState(before.get(one.exchange), one, now) }));
  const rates = ratesOf(
    snapshot,
    listed.flatMap(({ state, quotes }) => stablePrices(state, quotes)),
  );
  const coins = snapshot && coinsOf(snapshot);
  const heard = listed.map(({ state, quotes }): ExchangeState => {
    const said = saidIn(state, quotes, rates);
    return {
      ...state,
      markets: state.markets.map((market) => ({ ...market, said: said.get(market.market) ?? null })),
    };
  });
  const isBacked = backedBy(heard, now);
  const exchanges = heard.map((state): ExchangeState => {
    const { exchange, markets } = state;
    if (!isNew || !coins) return { ...state, markets: markets.map((market) => openOnly(market, now)) };
    const after = markets.map((market) =>
      compared(market, coins, { takenAt: snapshot.takenAt, isBacked: isBacked(exchange, market) }),
    );
    return { ...state, markets: byBase(after).flatMap((ones) => decided(ones, coins, now)) };
  });
  return { takenAt: isNew ? snapshot.takenAt : (previous?.takenAt ?? null), exchanges };
}

/** The exchange with the markets of its new list, if it told one. Those with another quote cannot be told in USD. */
function listedState(
  before: ExchangeState | undefined,
  { exchange, markets }: Told,
  now: number,
): ExchangeState {
  if (!markets) return before ?? { exchange, listedAt: 0, listed: 0, markets: [] };
  const known = new Map(before?.markets.map((market) => [market.market, market]));
  const told = new Map(markets.flatMap((market) => [...stateOf(market, known.get(market.id))]));
  for (const market of known.values()) {
    // Kept as long as there is something to tell of it.
    const isTold = told.has(market.market) || !(market.mapped || market.lost);
    if (!isTold) told.set(market.market, { ...market, isOpen: false, candidates: [] });
  }
  return { exchange, listedAt: now, listed: markets.length, markets: [...told.values()] };
}

function stateOf(
  { id, base, quote, isOpen }: Market,
  known: MarketState | undefined,
): (readonly [string, MarketState])[] {
  const told = QUOTES.find((one) => one === quote);
  if (!told) return [];
  // Another asset, or one that was not traded for a while: all that was known of it is of another time.
  const isSame = known !== undefined && known.base === base && known.quote === told;
  const kept = isSame && isOpen ? known.candidates : [];
  const { mapped = null, lost = null } = isSame ? known : {};
  return [[id, { market: id, base, quote: told, isOpen, said: null, mapped, lost, candidates: kept }]];
}

function stablePrices({ markets }: ExchangeState, quotes: readonly MarketQuote[] | undefined): SymbolPrice[] {
  const prices = new Map(quotes?.filter(isUsable).map(({ market, price }) => [market, price]));
  return markets.flatMap(({ market, base, quote, isOpen }) => {
    const price = isOpen && quote === 'USD' ? prices.get(market) : undefined;
    return price === undefined ? [] : [{ symbol: base, price }];
  });
}

/** In USD, by market: of those that are open and were traded within a day. */
function saidIn(
  { markets }: ExchangeState,
  quotes: readonly MarketQuote[] | undefined,
  rates: Rates,
): ReadonlyMap<string, MarketState['said']> {
  const open = new Map<string, MappedQuote>();
  for (const { market, quote, isOpen } of markets) if (isOpen) open.set(market, quote);
  return new Map(
    quotes?.filter(isUsable).flatMap(({ market, price, volume }) => {
      const quote = open.get(market);
      const rate = quote && rates[quote];
      return rate ? [[market, { price: price * rate, volume: volume * price * rate }] as const] : [];
    }),
  );
}

function isUsable({ price, volume }: MarketQuote): boolean {
  return Number.isFinite(price) && price > 0 && Number.isFinite(volume) && volume > 0;
}

interface SeenCoins extends Coins {
  byId(coin: string): SeenCoin | undefined;
  /** By symbol, without case. */
  bySymbol(symbol: string): readonly SeenCoin[];
}

function coinsOf({ coins }: SeenSnapshot): SeenCoins {
  const byId = new Map(coins.map((coin) => [coin.id, coin]));
  const bySymbol = Map.groupBy(coins, ({ symbol }) => symbolKey(symbol));
  return {
    byId: (coin) => byId.get(coin),
    bySymbol: (symbol) => bySymbol.get(symbolKey(symbol)) ?? [],
    rank(coin) {
      const seen = byId.get(coin);
      return seen && isRanked(seen) ? (seen.rank ?? 0) : Number.POSITIVE_INFINITY;
    },
    isActive: (coin) => byId.get(coin)?.isActive !== false,
  };
}

function compared(
  market: MarketState,
  coins: SeenCoins,
  { takenAt, isBacked }: { readonly takenAt: number; readonly isBacked: boolean },
): MarketState {
  if (!market.isOpen) return market;
  const { said, mapped } = market;
  const before = new Map(market.candidates.map((one) => [one.coin, one]));
  // Its coin is one of them, even if it is gone from the snapshot or has another symbol by now.
  const ids = new Set([...coins.bySymbol(market.base).map(({ id }) => id), ...(mapped ? [mapped.coin] : [])]);
  const ownRank = mapped ? coins.rank(mapped.coin) : 0;
  const candidates = [...ids].sort().map((id): Candidate => {
    const coin = coins.byId(id);
    const isNamedSo = coin !== undefined && symbolKey(coin.symbol) === symbolKey(market.base);
    const verdict = verdictOf(isNamedSo ? coin : undefined, said);
    const isAhead = coins.rank(id) < ownRank;
    const isKept = isBacked && id === mapped?.coin;
    return counted(before.get(id), id, { verdict, isAhead, isKept, isSaid: said !== null, takenAt });
  });
  return { ...market, candidates };
}

function byBase(markets: readonly MarketState[]): MarketState[][] {
  return [...Map.groupBy(markets, ({ base }) => base).values()];
}
