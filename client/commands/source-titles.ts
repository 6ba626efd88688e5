import { providers } from './providers.ts';

/** Sources that no command is sent to, but that have a part in its answers: exchanges, and who prices tokens. */
const others = {
  binance: 'Binance',
  coinbase: 'Coinbase',
  defillama: 'DefiLlama',
  kraken: 'Kraken',
} as const;

const titles: ReadonlyMap<string, string> = new Map([
  ...Object.entries(providers).map(([name, { label }]): [string, string] => [name, label]),
  ...Object.entries(others),
]);

/** A source as people write it, such as `Coinbase`; undefined if its name is not known here. */
export function titleOf(source: string): string | undefined {
  return titles.get(source);
}
