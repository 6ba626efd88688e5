/** Which coin a market trades: the one that the provider states for its pair, as long as prices agree. */
import { PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import type { Listing } from '../../../../shared/marketdata/sources/listings.ts';
import { isWithin, type Market, pairOf } from '../../../../shared/marketdata/sources/market.ts';
import type { MarketState } from '../../../../shared/marketdata/sources/source-map.ts';
import { symbolKey } from '../../../../shared/registry/fold.ts';
import { stableIds } from '../candles/rates.ts';
import type { Coins } from './coins.ts';

/** Consecutive snapshots with a price that is more than 5 % off, after which a market loses its coin. */
const MISSES = 3;

type Pair = Pick<Market, 'base' | 'quote'>;

/**
 * The coins that the provider states for an exchange's markets; undefined where it states none, or several. A pair that the
 * exchange does not trade is written with other symbols, such as `XBT/USD`, or with those before a renaming: it is the market of
 * its coin's current symbol in the snapshot.
 */
export function statedCoins(
  markets: readonly (Pair & Pick<Market, 'isOpen'>)[],
  listing: Listing | undefined,
  coins: Coins,
): (market: Pair) => string | undefined {
  if (!listing) return () => undefined;
  const own = new Set(markets.filter(({ isOpen }) => isOpen).map(pairOf));
  const renamed = new Map<string, string | null>();
  for (const [pair, id] of listing.coins) {
    const coin = id === null || own.has(pair) ? undefined : coins.get(id);
    if (!coin) continue;
    const current = `${symbolKey(coin.symbol)}${pair.slice(pair.indexOf('/'))}`;
    const known = renamed.get(current);
    renamed.set(current, known === undefined || known === coin.id ? coin.id : null);
  }
  return ({ base, quote }) => {
    const stated = listing.coins.get(pairOf({ base, quote }));
    return (
      (stated === undefined ? renamed.get(pairOf({ base: symbolKey(base), quote })) : stated) ?? undefined
    );
  };
}

/** Why a market lost its coin. */
export type Loss = 'far' | 'closed' | 'inactive' | 'moved';

/** A market in one run. */
export interface Priced extends MarketState {
  readonly exchange: string;
  /** Its last price in USD; null: none that counts. */
  readonly price: number | null;
  readonly lost?: { readonly coin: string; readonly why: Loss };
}

/** What is known of a market besides prices. */
export interface Status {
  /** False for a coin that is known to be no longer traded. */
  readonly isActive: (id: string) => boolean;
  readonly listing: Listing | undefined;
}

/** The market without its coin if it is closed, the coin is no longer traded, or the provider states another one or several. */
export function withStatus(market: Priced, { isActive, listing }: Status): Priced {
  const { mapped, isOpen } = market;
  if (!mapped) return market;
  if (!isOpen) return without(market, 'closed');
  if (!isActive(mapped.coin)) return without(market, 'inactive');
  const stated = listing?.coins.get(pairOf(market));
  return stated === undefined || stated === mapped.coin ? market : without(market, 'moved');
}

/**
 * A mapped market after the comparison with its coin's price. It loses the coin after three misses, but misses nothing while
 * another exchange's market of that coin confirms its price: then the ticker is wrong. Runs with the same snapshot miss once.
 */
export function withMisses(
  market: Priced,
  coins: Coins,
  { isBacked, isNew }: { readonly isBacked: boolean; readonly isNew: boolean },
): Priced {
  const { mapped, price } = market;
  const known = mapped && coins.get(mapped.coin)?.price;
  if (!mapped || !known || price === null) return market;
  const misses = isBacked || isWithin(PARTS.far, price, known) ? 0 : mapped.misses + Number(isNew);
  return misses < MISSES ? { ...market, mapped: { ...mapped, misses } } : without(market, 'far');
}

/** An open market with the coin that the provider states, if their prices agree. */
export function withCoin(market: Priced, coins: Coins, stated: string, now: number): Priced {
  const { mapped, isOpen, price, quote } = market;
  const known = coins.get(stated)?.price;
  // The rate of one stablecoin in another is no second opinion: either may be the one that is off.
  const isCircular = quote !== 'USD' && stableIds.includes(stated);
  if (mapped || !isOpen || !known || price === null || isCircular) return market;
  return isWithin(PARTS.far, price, known)
    ? { ...market, mapped: { coin: stated, since: now, misses: 0 } }
    : market;
}

/** Whether another exchange's market of the same coin has the same price in this run, within 2 %. */
export function backedBy(markets: readonly Priced[]): (market: Priced) => boolean {
  const byCoin = Map.groupBy(markets, ({ mapped }) => mapped?.coin);
  return ({ exchange, mapped, price }) => {
    if (!mapped || price === null) return false;
    return (byCoin.get(mapped.coin) ?? []).some(
      (other) =>
        other.exchange !== exchange && other.price !== null && isWithin(PARTS.agrees, price, other.price),
    );
  };
}

function without(market: Priced, why: Loss): Priced {
  const { mapped } = market;
  return mapped ? { ...market, mapped: null, lost: { coin: mapped.coin, why } } : market;
}
