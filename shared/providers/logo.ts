/** The provider's own address of a coin's logo, which is CoinPaprika's; a program that shows it asks there. */
export function logoOf(id: string): string {
  return `https://static.coinpaprika.com/coin/${encodeURIComponent(id)}/logo.png`;
}
