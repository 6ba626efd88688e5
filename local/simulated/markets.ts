/** The markets of the simulated exchanges: the coins that each lists, and the traps among them. */
import { type Asset, createMarket, DAY_MS, type Market, priceAt, rankedAssets } from './market.ts';
import {
  type ExchangeName,
  exchangeNames,
  exchanges,
  type QuoteSymbol,
  type SimulatedExchange,
} from './protocols.ts';
import { type Tape, type Traded, tapeOf } from './tape.ts';
import { EPOCH_MS, seedOf, uniform } from './walk.ts';

export type MarketState = 'open' | 'halted' | 'delisted';

/** A market of a simulated exchange, with its true coin and price. */
export interface SimulatedMarket {
  /** Symbols without an exchange's aliases; the base of a multiplied market has its number in front. */
  readonly base: string;
  readonly quote: QuoteSymbol;
  /** The coin that it is a second opinion on while it is open; null for none, as for a stablecoin's rate in another one. */
  readonly coinId: string | null;
  /** The coin that the provider states for it, rightly or not. */
  readonly statedId: string;
  /** Whether the provider does not believe its price or its volume. */
  readonly isOutlier: boolean;
  /** What is wrong with it; null for nothing. */
  readonly trap: string | null;
  /** May be set at run time: a market that is not open has no trades from then on. */
  state: MarketState;
  readonly tape: Tape;
}

/** A market before it has a tape. */
interface Plan extends Traded, Pick<SimulatedMarket, 'base' | 'quote' | 'coinId'> {
  readonly trap?: string;
  /** By default its coin. */
  readonly statedId?: string;
  readonly isOutlier?: boolean;
}

export const quoteCoins = { USD: undefined, USDC: 'usdc-usd-coin', USDT: 'usdt-tether' } as const;

const OTHER_QUOTE = 0.1;
/** This many of the largest coins are on every exchange. */
const EVERYWHERE = 12;
/** The smallest, on dollar exchanges, have hours without a trade. */
const THIN_FROM = 0.7;
const THIN_SILENCE = 0.1;
/** With eight decimals, lower prices have too few digits. */
const LEAST_BINANCE_PRICE = 5e-6;
const TRADEABLE = /^[A-Z0-9]{1,10}$/;
const DIGITS = 6;
/** The provider's free plan has tickers of these coins only. */
const TICKERS = 2000;
/** The positions of an exchange's closed markets, and since when they are closed. */
const closed = {
  halted: { at: 0.6, forMs: 3 * DAY_MS },
  delisted: { at: 0.5, forMs: 30 * DAY_MS },
} as const;

interface Trap {
  readonly text: string;
  /** The exchange with the trap. */
  readonly on: ExchangeName;
  /** The market that replaces all those with the same symbol; undefined if no coin fits. */
  readonly plan: (market: Market, leading: readonly Asset[]) => Plan | undefined;
}

/**
 * Traps for a reader that trusts symbols and prices. Besides, there is a market whose last trade is three days old
 * (`halted`), one that was closed a month ago (`delisted`: Kraken no longer lists it, the others still have its past), and
 * markets with hours and days without a trade (`silent`).
 */
const traps: Readonly<Record<string, Trap>> = {
  namesake: {
    text: 'a coin that the provider does not know, and takes for a well-known one of its symbol with another price',
    on: 'coinbase',
    plan(_market, leading) {
      const known = leading[Math.floor(leading.length * 0.55)];
      return known && { ...planOf(strangerOf(known), 'coinbase'), coinId: null, statedId: known.coin.id };
    },
  },
  lesser: {
    text: 'a coin whose symbol a better-ranked coin has too, at another price',
    on: 'kraken',
    plan(market, leading) {
      const leaders = new Map(leading.map((asset) => [asset.coin.symbol, asset]));
      const lesser = rankedAssets(market, TICKERS).find((asset) => {
        const leader = leaders.get(asset.coin.symbol);
        if (!leader || asset.coin.rank <= leader.coin.rank) return false;
        return Math.abs(Math.log(priceAt(asset, EPOCH_MS) / priceAt(leader, EPOCH_MS))) > 1;
      });
      return lesser && planOf(lesser, 'kraken');
    },
  },
  copy: {
    text: 'one symbol and one price for two coins; the wrapped or bridged copy has the lower rank (WETH)',
    on: 'coinbase',
    plan({ coins }, leading) {
      const isShared = (wanted: string) =>
        coins.filter(({ symbol, is_active }) => symbol === wanted && is_active !== false).length > 1;
      const asset = leading.find(({ coin }) => coin.follows && isShared(coin.symbol));
      return asset && planOf(asset, 'coinbase');
    },
  },
  multiplied: {
    text: 'a thousand coins a unit, at a thousandfold price, under the symbol with 1000 in front; stated as the coin itself',
    on: 'binance',
    plan(_market, leading) {
      const [asset] = leading.toSorted((a, b) => priceAt(a, EPOCH_MS) - priceAt(b, EPOCH_MS));
      if (!asset) return undefined;
      const plan = planOf(asset, 'binance');
      return { ...plan, base: `1000${plan.base}`, coinId: null, multiple: 1000 };
    },
  },
  boastful: {
    text: 'the right price, and more trade than all exchanges have together: an outlier for the provider',
    on: 'binance',
    plan(_market, leading) {
      const asset = leading[Math.floor(leading.length * 0.65)];
      return asset && { ...planOf(asset, 'binance'), coinId: null, share: 5, isOutlier: true };
    },
  },
};

export interface ListingOptions {
  /** How many of the largest coins have markets. */
  readonly listed: number;
  readonly hasTraps: boolean;
  readonly now: () => number;
}

/** The markets of an exchange, the largest first, with the traps among them. */
export function marketsOf(name: ExchangeName, market: Market, options: ListingOptions): SimulatedMarket[] {
  const leading = leadingAssets(market, options.listed);
  let plans = leading.flatMap((asset, place) => plansOf(name, asset, place, leading.length));
  if (!options.hasTraps)
    return plans.map((plan) => marketOf(name, market, { ...plan, silence: 0 }, 'open', options.now));
  for (const [trap, { on, plan: planTrap }] of Object.entries(traps)) {
    const plan = on === name ? planTrap(market, leading) : undefined;
    if (plan) plans = [...plans.filter(({ base }) => base !== plan.asset.coin.symbol), { ...plan, trap }];
  }
  const plain = plans.filter(({ trap, quote }) => !trap && quote === plans[0]?.quote);
  const states = new Map<Plan | undefined, MarketState>();
  for (const state of ['delisted', 'halted'] as const)
    states.set(plain[Math.floor(plain.length * closed[state].at)], state);
  return plans.map((plan) => marketOf(name, market, plan, states.get(plan) ?? 'open', options.now));
}

/** The open markets in the exchange's main quote: one per coin. */
export function mainMarkets(markets: readonly SimulatedMarket[]): SimulatedMarket[] {
  return markets.filter(({ state, quote }) => state === 'open' && quote === markets[0]?.quote);
}

/** The largest active coins, the best-ranked one of each symbol. */
function leadingAssets(market: Market, listed: number): Asset[] {
  const bySymbol = new Map<string, Asset>();
  for (const asset of rankedAssets(market, 10 * listed)) {
    const { symbol } = asset.coin;
    if (bySymbol.size < listed && TRADEABLE.test(symbol) && !bySymbol.has(symbol))
      bySymbol.set(symbol, asset);
  }
  return [...bySymbol.values()];
}

/** Every coin has one exchange that always lists it, and may be on the others. */
function plansOf(name: ExchangeName, asset: Asset, place: number, count: number): Plan[] {
  const { listed, quotes }: SimulatedExchange = exchanges[name];
  const home = exchangeNames[Math.floor(uniform(asset.seed, 40) * exchangeNames.length)];
  const isListed =
    place < EVERYWHERE || name === home || uniform(asset.seed, 41 + exchangeNames.indexOf(name)) < listed;
  const isTooCheap = name === 'binance' && priceAt(asset, EPOCH_MS) < LEAST_BINANCE_PRICE;
  if (!isListed || isTooCheap) return [];
  const main = planOf(asset, name);
  const silence = place > count * THIN_FROM && name !== 'binance' ? THIN_SILENCE : 0;
  const wanted = (Object.keys(quotes) as QuoteSymbol[]) // its own keys
    .filter((quote) => place < (quotes[quote] ?? 0) && quoteCoins[quote] !== asset.coin.id);
  const isStable = Object.values(quoteCoins).some((id) => id === asset.coin.id);
  return wanted.map((quote, index) => ({
    ...{ ...main, quote, silence },
    coinId: isStable && quote !== 'USD' ? null : main.coinId,
    share: main.share * (index === 0 ? 1 : OTHER_QUOTE),
  }));
}

/** A coin's main market. */
function planOf(asset: Asset, name: ExchangeName): Plan {
  const { symbol: base, id: coinId } = asset.coin;
  return { base, coinId, asset, quote: name === 'binance' ? 'USDT' : 'USD', share: exchanges[name].share };
}

/** An unlisted coin with a known coin's symbol and a price path of its own. */
function strangerOf(known: Asset): Asset {
  const coin = { ...known.coin, id: `stranger-${known.coin.id}`, priceUsd: priceAt(known, EPOCH_MS) * 37 };
  const asset = createMarket([{ ...coin, follows: null }], known.seed).asset(coin.id);
  if (!asset) throw new Error(`There is no ${coin.id}`);
  return asset;
}

function marketOf(
  name: ExchangeName,
  market: Market,
  plan: Plan,
  initial: MarketState,
  now: () => number,
): SimulatedMarket {
  const { base, quote, coinId, asset, multiple = 1, silence = 0 } = plan;
  const { statedId = asset.coin.id, isOutlier = false } = plan;
  const seed = seedOf(`${asset.seed}:${name}:${quote}`);
  const price = multiple * priceAt(asset, EPOCH_MS);
  const decimals = Math.max(DIGITS - 1 - Math.floor(Math.log10(price)), 2);
  let state = initial;
  let endMs = initial === 'open' ? Infinity : now() - closed[initial].forMs;
  const share = plan.share * (0.5 + uniform(seed, 2));
  const tape = tapeOf({
    ...{ asset, multiple, silence, share, seed, quote: market.asset(quoteCoins[quote] ?? '') },
    decimals: Math.min(decimals, exchanges[name].decimals),
    endMs: () => endMs,
  });
  return {
    ...{ base, quote, coinId, statedId, isOutlier, tape },
    trap: plan.trap ?? (initial !== 'open' ? initial : silence > 0 ? 'silent' : null),
    get state() {
      return state;
    },
    set state(next) {
      if (next === 'open') endMs = Infinity;
      else if (state === 'open') endMs = now();
      state = next;
    },
  };
}
