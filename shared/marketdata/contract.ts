/** What every market-data route documents alike. */
export const marketDataHeaders = {
  'x-data-source':
    'Who the data comes from: `coinpaprika`, or `simulated` on a local run without the provider',
  'x-data-quality':
    '`exact`: as the provider says; `derived`: candles made of the free price history; `stale`: the last good answer, because the provider did not give a newer one',
  age: "Seconds since the provider's data was made, not since it was fetched",
} as const;

export const marketDataFailures = {
  404: 'The provider does not know the coin id',
  502: 'The provider is unreachable, answers 5xx, refuses the request, or does not answer the promised JSON',
  504: 'The provider does not answer in time',
} as const;
