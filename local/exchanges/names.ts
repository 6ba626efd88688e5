export const exchangeNames = ['coinbase', 'kraken', 'binance'] as const;
export type ExchangeName = (typeof exchangeNames)[number];

export const sourceNames = [...exchangeNames, 'defillama', 'ecb'] as const;
/** An exchange, DefiLlama, who has prices of tokens, or the European Central Bank, who has rates of currencies. */
export type SourceName = (typeof sourceNames)[number];

export function isSourceName(name: string): name is SourceName {
  return sourceNames.some((known) => known === name);
}

/** The variables that tell functions of their addresses. */
export const settings = {
  coinbase: 'COINBASE_BASE_URL',
  kraken: 'KRAKEN_BASE_URL',
  binance: 'BINANCE_BASE_URL',
  defillama: 'DEFILLAMA_BASE_URL',
  ecb: 'ECB_BASE_URL',
} as const satisfies Record<SourceName, string>;
