/** The address of a coin's logo at CoinPaprika, where programs that show it load it from. */
export function logoOf(id: string): string {
  return `https://static.coinpaprika.com/coin/${encodeURIComponent(id)}/logo.png`;
}
