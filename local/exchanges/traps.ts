import type { ProviderCoin } from '../provider/coins.ts';
import { type Asset, createMarket, type Market, priceAt } from '../provider/market.ts';
import { EPOCH_MS } from '../provider/walk.ts';
import type { ExchangeName } from './names.ts';
import { type Plan, SHARES } from './plans.ts';

interface Trap {
  readonly text: string;
  /** Where it is; everywhere unless told. */
  readonly on?: ExchangeName;
  /** The market that takes the place of all those under the same symbol; undefined if no coin is fit for it. */
  readonly spring?: (market: Market, leading: readonly Asset[]) => Plan | undefined;
}

const FAR_OFF = 37;
const THOUSAND = 1000;
const BOAST = 5;
/** The provider's free plan has tickers of no others. */
const TICKERS = 2000;

/**
 * The traps of the simulated exchanges: what lies in wait for whoever takes symbols, prices and times as they stand. All
 * are there unless a caller names the ones it wants; those of tokens are in `tokenTraps`.
 */
export const traps = {
  namesake: {
    text: 'a coin that the provider does not know, under the symbol of a well-known one, at another price',
    on: 'coinbase',
    spring(_market, leading) {
      const known = at(leading, 0.55);
      return known && { ...planOf(strangerOf(known), 'coinbase'), coinId: null };
    },
  },
  lesser: {
    text: 'a coin whose symbol a better-ranked coin has too, at another price',
    on: 'kraken',
    spring(market, leading) {
      const asset = lesserOf(market, leading);
      return asset && planOf(asset, 'kraken');
    },
  },
  copy: {
    text: 'one symbol and one price for two coins, of which the wrapped or bridged copy has the lower rank (WETH)',
    on: 'coinbase',
    spring({ coins }, leading) {
      const isShared = (wanted: string) =>
        coins.filter(({ symbol, is_active }) => symbol === wanted && is_active !== false).length > 1;
      const asset = leading.find(({ coin }) => coin.follows && isShared(coin.symbol));
      return asset && planOf(asset, 'coinbase');
    },
  },
  multiplied: {
    text: 'a thousand coins a unit, at a thousandfold price, under the symbol with 1000 in front',
    on: 'binance',
    spring(_market, leading) {
      const [asset] = leading.toSorted((a, b) => priceAt(a, EPOCH_MS) - priceAt(b, EPOCH_MS));
      if (!asset) return undefined;
      const plan = planOf(asset, 'binance');
      return { ...plan, base: `${THOUSAND}${plan.base}`, coinId: null, multiple: THOUSAND };
    },
  },
  boastful: {
    text: 'the right price, and more trade than all exchanges have together',
    on: 'binance',
    spring(_market, leading) {
      const asset = at(leading, 0.65);
      return asset && { ...planOf(asset, 'binance'), coinId: null, share: BOAST };
    },
  },
  halted: { text: 'a market whose last trade is three days old' },
  delisted: {
    text: 'a market that was closed a month ago: Kraken lists it no more, the others still tell its past',
  },
  silent: {
    text: 'hours and days without a trade: Coinbase leaves them out, Kraken repeats the last price',
  },
} as const satisfies Record<string, Trap>;

export type TrapName = keyof typeof traps;

export const trapNames: readonly TrapName[] = Object.keys(traps).filter(isTrapName);

function isTrapName(name: string): name is TrapName {
  return Object.hasOwn(traps, name);
}

/** The markets of an exchange with a trap among them. */
export function withTrap<P extends Plan>(
  name: TrapName,
  exchange: ExchangeName,
  plans: readonly P[],
  market: Market,
  leading: readonly Asset[],
): (P | (Plan & { readonly trap: TrapName }))[] {
  const { on, spring }: Trap = traps[name];
  const plan = on === exchange ? spring?.(market, leading) : undefined;
  if (!plan) return [...plans];
  return [...plans.filter(({ base }) => base !== plan.asset.coin.symbol), { ...plan, trap: name }];
}

/** For a list of coins without a lesser namesake, such as the default one: Solana's symbol, at a tenth of a dollar. */
export const lesserNamesake: ProviderCoin = {
  id: 'sol-sollong',
  name: 'Sollong',
  symbol: 'SOL',
  rank: 900,
  type: 'token',
  priceUsd: 0.1,
  circulatingSupply: 5_000_000_000,
};

/** The coins with Tether off its dollar, from its first day on. */
export function withTetherAt(priceUsd: number, coins: readonly ProviderCoin[]): ProviderCoin[] {
  return coins.map((coin) => (coin.id === 'usdt-tether' ? { ...coin, priceUsd } : coin));
}

function planOf(asset: Asset, exchange: ExchangeName): Plan {
  const { symbol: base, id: coinId } = asset.coin;
  return { base, coinId, asset, quote: exchange === 'binance' ? 'USDT' : 'USD', share: SHARES[exchange] };
}

function at(leading: readonly Asset[], part: number): Asset | undefined {
  return leading[Math.floor(leading.length * part)];
}

/** A coin of nobody's list, under a known one's symbol and on a path of its own. */
function strangerOf(known: Asset): Asset {
  const id = `stranger-${known.coin.id}`;
  const priceUsd = priceAt(known, EPOCH_MS) * FAR_OFF;
  const asset = createMarket([{ ...known.coin, id, priceUsd, follows: null }], known.seed).asset(id);
  if (!asset) throw new Error(`There is no ${id}`);
  return asset;
}

/** The best-ranked coin whose symbol a better-ranked one has at another price. */
function lesserOf(market: Market, leading: readonly Asset[]): Asset | undefined {
  const leaders = new Map(leading.map((asset) => [asset.coin.symbol, asset]));
  const ranked = market.coins.toSorted((a, b) => a.rank - b.rank);
  for (const { id, symbol, rank, is_active } of ranked) {
    const leader = leaders.get(symbol);
    if (!leader || rank <= leader.coin.rank || rank > TICKERS || is_active === false) continue;
    const asset = market.asset(id);
    const isOff = asset && Math.abs(Math.log(priceAt(asset, EPOCH_MS) / priceAt(leader, EPOCH_MS))) > 1;
    if (isOff) return asset;
  }
  return undefined;
}
