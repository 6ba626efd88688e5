import type { ProviderCoin } from '../provider/coins.ts';

/**
 * The traps of the simulated exchanges: what lies in wait for whoever reads symbols, prices and times as they stand.
 * All are there unless a caller names the ones it wants; those marked * are of the list of coins, not of a market.
 */
export const traps = {
  namesake: 'Coinbase has a coin that the provider does not know, under the symbol of a well-known one',
  lesser: 'Kraken has a coin under a symbol that a better-ranked coin has too, at another price',
  copy: '* one symbol, one price, two coins: the wrapped or bridged copy has the lower rank (WETH)',
  multiplied: 'Binance has a market of a thousand coins each, at a thousandfold price',
  boastful: 'Binance says of one market that it trades more than all exchanges together',
  halted: 'each exchange has a market whose last trade is three days old',
  delisted: 'each exchange has closed a market a month ago, and still tells its past, or lists it no more',
  silent: 'hours and days without a trade: Coinbase leaves them out, the others repeat the last price',
} as const satisfies Record<string, string>;

export type TrapName = keyof typeof traps;

export const trapNames: readonly TrapName[] = Object.keys(traps).filter(isTrapName);

export function isTrapName(name: string): name is TrapName {
  return Object.hasOwn(traps, name);
}

/** For a list of coins without a lesser namesake, such as the default one: Solana's symbol at a tenth of a dollar. */
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
