import { seedOf, uniform } from '../provider/hash.ts';
import { type Asset, createMarket, type Market, priceAt } from '../provider/market.ts';
import { EPOCH_MS } from '../provider/walk.ts';
import { type ExchangeName, exchangeNames } from './names.ts';
import { DAY_MS, type Tape, tapeOf } from './tape.ts';
import type { TrapName } from './traps.ts';

export type QuoteSymbol = 'USD' | 'USDC' | 'USDT';
export type MarketState = 'open' | 'halted' | 'delisted';

/** A market of a simulated exchange. */
export interface SimulatedMarket {
  /** Symbols without an exchange's aliases; the base of a multiplied market has its number in front. */
  readonly base: string;
  readonly quote: QuoteSymbol;
  /** The coin that it trades; null if no reader may take it for any coin. */
  readonly coinId: string | null;
  readonly trap: TrapName | null;
  /** May be set while it runs: a market that is not open has no trades from then on. */
  state: MarketState;
  readonly tape: Tape;
}

export interface ListingOptions {
  /** So many of the largest coins have markets. */
  readonly listed: number;
  readonly traps: readonly TrapName[];
  /** Of the start, in milliseconds since the epoch: halts and delistings are told from it. */
  readonly startMs: number;
  readonly now: () => number;
}

interface Plan {
  readonly base: string;
  readonly quote: QuoteSymbol;
  readonly asset: Asset;
  readonly coinId: string | null;
  readonly share: number;
  readonly trap?: TrapName;
  readonly multiple?: number;
  readonly silence?: number;
}

const QUOTE_COINS = { USD: undefined, USDC: 'usdc-usd-coin', USDT: 'usdt-tether' } as const;
/** Digits behind the point that an exchange's prices have at most. */
const MAX_DECIMALS = { coinbase: 12, kraken: 10, binance: 8 };
const DIGITS = 6;
/** Each exchange's part of all trade in its main market; its others have less. */
const SHARES = { coinbase: 0.08, kraken: 0.03, binance: 0.22 };
/** Below it eight decimals tell too little of a price. */
const LEAST_BINANCE_PRICE = 5e-6;
const THOUSAND = 1000;
const HALTED_MS = 3 * DAY_MS;
const DELISTED_MS = 30 * DAY_MS;
const TRADEABLE = /^[A-Z0-9]{1,10}$/;

/** The markets of an exchange: of the largest coins one under each symbol, with the traps among them. */
export function marketsOf(
  exchange: ExchangeName,
  market: Market,
  { listed, traps, startMs, now }: ListingOptions,
): SimulatedMarket[] {
  const leading = leadingAssets(market, listed);
  const plans = leading.flatMap((asset, place) => plansOf(exchange, asset, place, leading.length));
  const withTraps = traps.reduce((sum, trap) => spring(trap, exchange, sum, market, leading), plans);
  const states = statesOf(withTraps, traps);
  return withTraps.map((plan) => {
    const seed = seedOf(`${plan.asset.seed}:${exchange}:${plan.quote}`);
    const state = states.get(plan) ?? 'open';
    let closedMs = state === 'open' ? Infinity : startMs - (state === 'halted' ? HALTED_MS : DELISTED_MS);
    let current: MarketState = state;
    const quoteId = QUOTE_COINS[plan.quote];
    const { asset, multiple = 1 } = plan;
    const silence = traps.includes('silent') ? (plan.silence ?? 0) : 0;
    const tape = tapeOf({
      ...{ asset, multiple, silence, seed },
      quote: quoteId && market.asset(quoteId),
      share: plan.share * (0.5 + uniform(seed, 2)),
      decimals: decimalsOf(multiple * priceAt(asset, EPOCH_MS), MAX_DECIMALS[exchange]),
      endsMs: () => closedMs,
    });
    return {
      base: plan.base,
      quote: plan.quote,
      coinId: plan.coinId,
      trap: plan.trap ?? (state === 'open' ? (silence > 0 ? 'silent' : null) : state),
      tape,
      get state() {
        return current;
      },
      set state(next) {
        if (next === 'open') closedMs = Infinity;
        else if (current === 'open') closedMs = now();
        current = next;
      },
    };
  });
}

/** The largest active coins, the best-ranked one of each symbol. */
function leadingAssets({ coins, asset }: Market, listed: number): Asset[] {
  const bySymbol = new Map<string, string>();
  const active = coins.filter(({ rank, is_active }) => rank > 0 && is_active !== false);
  for (const { symbol, id } of active.toSorted((a, b) => a.rank - b.rank)) {
    if (bySymbol.size < listed && TRADEABLE.test(symbol) && !bySymbol.has(symbol)) bySymbol.set(symbol, id);
  }
  return [...bySymbol.values()].flatMap((id) => asset(id) ?? []);
}

/** The markets that a coin has on an exchange; `place` is its place among those listed. */
function plansOf(exchange: ExchangeName, asset: Asset, place: number, of: number): Plan[] {
  const quotes = quotesOf(exchange, asset, place);
  const { id, symbol } = asset.coin;
  const isThin = place > of * 0.7;
  return quotes
    .filter((quote) => quote !== symbol && QUOTE_COINS[quote] !== id)
    .map((quote, index) => ({
      ...{ base: symbol, quote, asset, coinId: id },
      share: SHARES[exchange] / (index === 0 ? 1 : 10),
      silence: isThin && exchange !== 'binance' ? 0.1 : 0,
    }));
}

function quotesOf(exchange: ExchangeName, asset: Asset, place: number): QuoteSymbol[] {
  const home = exchangeNames[Math.floor(uniform(asset.seed, 40) * exchangeNames.length)];
  const isEverywhere = place < 12;
  const chance = uniform(asset.seed, 41 + exchangeNames.indexOf(exchange));
  if (!isEverywhere && exchange !== home && chance > (exchange === 'binance' ? 0.8 : 0.7)) return [];
  switch (exchange) {
    case 'binance':
      return priceAt(asset, EPOCH_MS) < LEAST_BINANCE_PRICE ? [] : place < 30 ? ['USDT', 'USDC'] : ['USDT'];
    case 'kraken':
      return place < 10 ? ['USD', 'USDC', 'USDT'] : place < 25 ? ['USD', 'USDT'] : ['USD'];
    case 'coinbase':
      return place < 20 ? ['USD', 'USDT'] : ['USD'];
  }
}

/** The plans with a trap among them. */
function spring(
  trap: TrapName,
  exchange: ExchangeName,
  plans: readonly Plan[],
  market: Market,
  leading: readonly Asset[],
): Plan[] {
  const without = (symbol: string) => plans.filter(({ base }) => base !== symbol);
  switch (trap) {
    case 'namesake': {
      const known = leading[Math.floor(leading.length * 0.55)];
      if (exchange !== 'coinbase' || !known) return [...plans];
      const base = known.coin.symbol;
      const asset = strangerOf(known, 37);
      const plan: Plan = { base, quote: 'USD', asset, coinId: null, share: SHARES.coinbase, trap };
      return [...without(base), plan];
    }
    case 'lesser': {
      const asset = lesserOf(market, leading);
      if (exchange !== 'kraken' || !asset) return [...plans];
      const { id, symbol } = asset.coin;
      const plan: Plan = { base: symbol, quote: 'USD', asset, coinId: id, share: SHARES.kraken, trap };
      return [...without(symbol), plan];
    }
    case 'copy': {
      const asset = leading.find(({ coin }) => coin.follows && countOf(market, coin.symbol) > 1);
      if (exchange !== 'coinbase' || !asset) return [...plans];
      const { id, symbol } = asset.coin;
      const plan: Plan = { base: symbol, quote: 'USD', asset, coinId: id, share: SHARES.coinbase, trap };
      return [...without(symbol), plan];
    }
    case 'multiplied': {
      const asset = leading.toSorted((a, b) => priceAt(a, EPOCH_MS) - priceAt(b, EPOCH_MS))[0];
      if (exchange !== 'binance' || !asset) return [...plans];
      const base = `${THOUSAND}${asset.coin.symbol}`;
      const plan: Plan = { base, quote: 'USDT', asset, coinId: null, share: SHARES.binance, trap };
      return [...without(asset.coin.symbol), { ...plan, multiple: THOUSAND }];
    }
    case 'boastful': {
      const asset = leading[Math.floor(leading.length * 0.65)];
      if (exchange !== 'binance' || !asset) return [...plans];
      const plan: Plan = {
        ...{ base: asset.coin.symbol, quote: 'USDT', asset, coinId: null, share: 5 },
        trap,
      };
      return [...without(asset.coin.symbol), plan];
    }
    case 'silent':
    case 'halted':
    case 'delisted':
      return [...plans];
  }
}

function countOf({ coins }: Market, wanted: string): number {
  return coins.filter(({ symbol, is_active }) => symbol === wanted && is_active !== false).length;
}

/** A coin of nobody's list, so many times the price of a known one and on a path of its own. */
function strangerOf({ coin, seed }: Asset, times: number): Asset {
  const id = `stranger-${coin.id}`;
  const stranger = { ...coin, id, priceUsd: (coin.priceUsd ?? 1) * times, follows: null };
  const asset = createMarket([stranger], seed).asset(id);
  if (!asset) throw new Error(`There is no ${id}`);
  return asset;
}

const MOST_RANK = 2000;

/** The best-ranked coin whose symbol a better-ranked one has at another price. */
function lesserOf(market: Market, leading: readonly Asset[]): Asset | undefined {
  const leaders = new Map(leading.map((asset) => [asset.coin.symbol, asset]));
  const ranked = market.coins.toSorted((a, b) => a.rank - b.rank);
  for (const { id, symbol, rank, is_active } of ranked) {
    const leader = leaders.get(symbol);
    if (!leader || leader.coin.id === id || is_active === false || rank <= leader.coin.rank) continue;
    const asset = rank <= MOST_RANK ? market.asset(id) : undefined;
    if (asset && Math.abs(Math.log(priceAt(asset, EPOCH_MS) / priceAt(leader, EPOCH_MS))) > 1) return asset;
  }
  return undefined;
}

/** The plans that are not open: two of the smaller coins, each in its only market. */
function statesOf(plans: readonly Plan[], traps: readonly TrapName[]): Map<Plan, MarketState> {
  const plain = plans.filter((plan) => !plan.trap && plan.quote === plans[0]?.quote);
  const [halted, delisted] = [plain[Math.floor(plain.length * 0.6)], plain[Math.floor(plain.length * 0.5)]];
  const states = new Map<Plan, MarketState>();
  if (halted && traps.includes('halted')) states.set(halted, 'halted');
  if (delisted && delisted !== halted && traps.includes('delisted')) states.set(delisted, 'delisted');
  return states;
}

function decimalsOf(price: number, most: number): number {
  return Math.min(Math.max(DIGITS - 1 - Math.floor(Math.log10(price)), 2), most);
}
