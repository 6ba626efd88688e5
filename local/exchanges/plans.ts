import { uniform } from '../provider/hash.ts';
import { type Asset, type Market, priceAt } from '../provider/market.ts';
import { EPOCH_MS } from '../provider/walk.ts';
import { type ExchangeName, exchangeNames } from './names.ts';

export type QuoteSymbol = 'USD' | 'USDC' | 'USDT';

/** A market before it has a tape. */
export interface Plan {
  readonly base: string;
  readonly quote: QuoteSymbol;
  /** Whose price it has. */
  readonly asset: Asset;
  /** The coin that a reader may take it for; null for none. */
  readonly coinId: string | null;
  /** The part of all trade in the coin that is done here. */
  readonly share: number;
  /** The part of hours without a trade; 0 unless told. */
  readonly silence?: number;
  /** Coins in one unit of the base; 1 unless told. */
  readonly multiple?: number;
}

export const QUOTE_COINS = { USD: undefined, USDC: 'usdc-usd-coin', USDT: 'usdt-tether' } as const;

/** Each exchange's part of all trade in its main market of a coin. */
export const SHARES = { coinbase: 0.08, kraken: 0.03, binance: 0.22 } as const;
/** A coin's other markets there have so much of that. */
const OTHER_QUOTE = 0.1;
/** The part of coins that an exchange has, besides those that only it has. */
const LISTED = { coinbase: 0.7, kraken: 0.7, binance: 0.8 } as const;
/** The largest are everywhere. */
const EVERYWHERE = 12;
/** The smallest, on exchanges for dollars, have hours without a trade. */
const THIN_FROM = 0.7;
const THIN_SILENCE = 0.1;
/** With eight digits behind the point there is too little left of a lower price. */
const LEAST_BINANCE_PRICE = 5e-6;
const TRADEABLE = /^[A-Z0-9]{1,10}$/;

/** So many of the largest active coins, the best-ranked one of each symbol. */
export function leadingAssets({ coins, asset }: Market, listed: number): Asset[] {
  const bySymbol = new Map<string, string>();
  const active = coins.filter(({ rank, is_active }) => rank > 0 && is_active !== false);
  for (const { symbol, id } of active.toSorted((a, b) => a.rank - b.rank)) {
    if (bySymbol.size < listed && TRADEABLE.test(symbol) && !bySymbol.has(symbol)) bySymbol.set(symbol, id);
  }
  return [...bySymbol.values()].flatMap((id) => asset(id) ?? []);
}

/** The markets that an exchange has of these coins, the largest first. */
export function plansOf(exchange: ExchangeName, leading: readonly Asset[]): Plan[] {
  return leading.flatMap((asset, place) => {
    if (!isListed(exchange, asset, place)) return [];
    const { id, symbol } = asset.coin;
    const isThin = place > leading.length * THIN_FROM && exchange !== 'binance';
    return quotesOf(exchange, place)
      .filter((quote) => QUOTE_COINS[quote] !== id)
      .map((quote, index) => ({
        ...{ base: symbol, quote, asset, coinId: id },
        share: SHARES[exchange] * (index === 0 ? 1 : OTHER_QUOTE),
        silence: isThin ? THIN_SILENCE : 0,
      }));
  });
}

/** Every coin has one exchange that lists it for sure, and may be on the others. */
function isListed(exchange: ExchangeName, asset: Asset, place: number): boolean {
  if (exchange === 'binance' && priceAt(asset, EPOCH_MS) < LEAST_BINANCE_PRICE) return false;
  const home = exchangeNames[Math.floor(uniform(asset.seed, 40) * exchangeNames.length)];
  const chance = uniform(asset.seed, 41 + exchangeNames.indexOf(exchange));
  return place < EVERYWHERE || exchange === home || chance < LISTED[exchange];
}

/** The first is the main one. */
function quotesOf(exchange: ExchangeName, place: number): readonly QuoteSymbol[] {
  switch (exchange) {
    case 'binance':
      return place < 30 ? ['USDT', 'USDC'] : ['USDT'];
    case 'kraken':
      return place < 10 ? ['USD', 'USDC', 'USDT'] : place < 25 ? ['USD', 'USDT'] : ['USD'];
    case 'coinbase':
      return place < 20 ? ['USD', 'USDT'] : ['USD'];
  }
}
