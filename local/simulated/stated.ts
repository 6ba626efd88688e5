/** CoinPaprika's list of an exchange's markets, with what is wrong in such a list. */
import { isoSeconds, type Market, priceAt } from './market.ts';
import { quoteCoins, type SimulatedMarket } from './markets.ts';

/** Symbols of bases that the provider writes otherwise: Kraken's own. */
const symbols: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  kraken: { BTC: 'XBT', DOGE: 'XDG' },
};
const USD = { id: 'usd-us-dollars', name: 'US Dollars' };

/**
 * The markets as the provider lists them: a market of 1000X with the id of X, and a coin that it does not know with that of its
 * namesake, both from `markets`; outliers, contracts and rows that are no markets from here.
 */
export function statedMarkets(
  exchange: string,
  markets: readonly SimulatedMarket[],
  world: Market,
  atMs: number,
): object[] {
  const rows = markets.flatMap((market) => {
    const base = symbols[exchange]?.[market.base] ?? market.base;
    return statedMarket({ ...market, base }, world, atMs);
  });
  const [first] = rows;
  if (!first) return [];
  const other = world.coins.find(({ id }) => id !== first.base_currency_id)?.id;
  return [
    ...rows,
    // Read as what they are not, they would contradict the first market.
    { ...first, base_currency_id: other, category: 'Perpetual' },
    { ...first, base_currency_id: other, outlier: true },
    { ...first, base_currency_id: null },
    { ...first, pair: 'BTCUSD' },
    { ...first, pair: null, category: undefined },
    { ...first, base_currency_id: '', pair: 'NOTHING/USD' },
  ];
}

function statedMarket(
  { base, quote, statedId, isOutlier, tape }: SimulatedMarket,
  world: Market,
  atMs: number,
) {
  const coin = world.asset(statedId)?.coin;
  if (!coin) return [];
  const quoteAsset = world.asset(quoteCoins[quote] ?? '');
  const dollars = quoteAsset ? priceAt(quoteAsset, atMs) : 1;
  const price = tape.priceAt(atMs) * dollars;
  return [
    {
      pair: `${base}/${quote}`,
      base_currency_id: coin.id,
      base_currency_name: coin.name,
      quote_currency_id: quoteAsset?.coin.id ?? USD.id,
      quote_currency_name: quoteAsset?.coin.name ?? USD.name,
      market_url: `https://exchange.invalid/trade/${base}_${quote}`,
      category: 'Spot',
      fee_type: 'Percentage',
      outlier: isOutlier,
      reported_volume_24h_share: 0.01,
      quotes: { USD: { price, volume_24h: tape.day(atMs).volume * price } },
      last_updated: isoSeconds(atMs),
    },
  ];
}
