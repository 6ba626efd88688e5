/** Sources of data as people write them, and those that a command can name with `--protocol`. */

export const protocols = ['coinpaprika'] as const;
export type Protocol = (typeof protocols)[number];
export const defaultProtocol: Protocol = 'coinpaprika';

/** The note has always given this figure; the plan's documents of 2026 say 20,000. */
export const freeRequestsPerMonth = 25_000;

const titles: ReadonlyMap<string, string> = new Map([
  ['coinpaprika', 'CoinPaprika'],
  ['binance', 'Binance'],
  ['coinbase', 'Coinbase'],
  ['defillama', 'DefiLlama'],
  ['ecb', 'The European Central Bank'],
  ['kraken', 'Kraken'],
]);

/** A source as people write it, such as `Kraken`; undefined if its name is not known here. */
export function titleOf(source: string): string | undefined {
  return titles.get(source);
}

/** The name of the provider that answers commands. */
export const providerTitle = titleOf(defaultProtocol) ?? defaultProtocol;
