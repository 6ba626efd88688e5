import { coinPaprika } from './coinpaprika.ts';

/** Sources as people write them; besides those that commands are sent to, exchanges and who prices tokens. */
const titles: ReadonlyMap<string, string> = new Map([
  ['coinpaprika', coinPaprika.label],
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
