/** The sources that are simulated, for those that need their names and not the simulation. */

/** What a source's answers are about: the provider's coins, markets and tokens, rates, or somebody else's coins. */
export type Subject = 'coins' | 'markets' | 'rates' | 'listing';

/** The variable that tells functions of a source's address, and that address below its host. */
interface SimulatedProtocol {
  readonly setting: string;
  readonly base: string;
  readonly subject: Subject;
}

export const protocols = {
  coinpaprika: { setting: 'COINPAPRIKA_BASE_URL', base: '/coinpaprika/v1', subject: 'coins' },
  coinbase: { setting: 'COINBASE_BASE_URL', base: '/coinbase', subject: 'markets' },
  kraken: { setting: 'KRAKEN_BASE_URL', base: '/kraken', subject: 'markets' },
  binance: { setting: 'BINANCE_BASE_URL', base: '/binance', subject: 'markets' },
  defillama: { setting: 'DEFILLAMA_BASE_URL', base: '/defillama', subject: 'markets' },
  coingecko: { setting: 'COINGECKO_BASE_URL', base: '/coingecko/api/v3', subject: 'listing' },
  ecb: { setting: 'ECB_BASE_URL', base: '/ecb', subject: 'rates' },
} as const satisfies Record<string, SimulatedProtocol>;

export type SourceName = keyof typeof protocols;
export const sourceNames = Object.keys(protocols) as SourceName[]; // its own keys

export function isSourceName(name: string): name is SourceName {
  return Object.hasOwn(protocols, name);
}
