/** The simulated CoinGecko's list: the well-known coins under their real CoinGecko ids, and coins that resemble them. */
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { ourCoins } from '../coin-lists.ts';
import { match } from '../match.ts';
import { type WellKnownCoin, wellKnownCoins } from './well-known.ts';

export interface SimulatedListing {
  /** The coin's id at CoinGecko. */
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  /** Our coin with the same price; undefined: it has its own price. */
  readonly priced?: WellKnownCoin | undefined;
  /** Its share of that coin's market cap; 1: it is that coin. */
  readonly part: number;
}

/** Coins with another symbol or name at CoinGecko, such as FRAX and FXS since 2025. */
const renamed: Readonly<Record<string, readonly [symbol: string, name: string]>> = {
  frax: ['frax', 'Legacy Frax Dollar'],
  'frax-share': ['frax', 'Frax (prev. FXS)'],
  cosmos: ['atom', 'Cosmos Hub'],
  havven: ['snx', 'Synthetix'],
};

/** Symbol, name, and the coin whose price each has. */
const lookalikes: readonly (readonly [id: string, symbol: string, name: string, priced?: string])[] = [
  ['jupiter', 'jup', 'Jupiter Project'],
  ['dash-2', 'dash', 'DASH'],
  ['luna-wormhole', 'lunc', 'Terra Classic (Wormhole)', 'luna-terra'],
  ['bridged-usd-coin-linea', 'usdc', 'Linea Bridged USDC (Linea)', 'usdc-usd-coin'],
  ['wrapped-btc-wormhole', 'wbtc', 'Wrapped BTC (Wormhole)', 'wbtc-wrapped-bitcoin'],
  ['l2-standard-bridged-weth-base', 'weth', 'L2 Standard Bridged WETH (Base)', 'weth-weth'],
];
const LOOKALIKE_PART = 0.001;

const byId = new Map(wellKnownCoins.map((coin) => [coin.id, coin]));

export const simulatedListings: readonly SimulatedListing[] = [
  ...wellKnownCoins.flatMap((coin) => {
    if (coin.coinGeckoId === null) return [];
    const [symbol, name] = renamed[coin.coinGeckoId] ?? [coin.symbol.trim().toLowerCase(), coin.name];
    return [{ id: coin.coinGeckoId, symbol, name, priced: coin, part: 1 }];
  }),
  ...lookalikes.map(([id, symbol, name, priced]) => {
    return {
      id,
      symbol,
      name,
      priced: priced === undefined ? undefined : byId.get(priced),
      part: LOOKALIKE_PART,
    };
  }),
];

/** The pairs of these entries and CoinGecko's coins, matched as for live ones. */
export function simulatedPairs(entries: readonly RegistryEntry[]): ReadonlyMap<string, string> {
  const capOf = ({ priceUsd, circulatingSupply }: WellKnownCoin) => priceUsd * circulatingSupply;
  const ours = ourCoins(entries, (id) => {
    const coin = byId.get(id);
    return coin && { price: coin.priceUsd, market_cap: capOf(coin) };
  });
  const theirs = simulatedListings.map(({ id, name, symbol, priced, part }) => {
    const [price, marketCap] = priced ? [priced.priceUsd, capOf(priced) * part] : [null, null];
    return { id, name, symbol, price, marketCap, contracts: [] };
  });
  return match(ours, theirs).pairs;
}
