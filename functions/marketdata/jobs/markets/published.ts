import type {
  CoinQuote,
  CoinQuotes,
  MappedMarket,
  MarketState,
  SourceMap,
  SourceState,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { QUOTES } from './rates.ts';
import type { Told } from './seen.ts';

/** The mapped markets by coin, of each exchange the one that is nearest to USD. */
export function mapOf({ exchanges }: SourceState): SourceMap['coins'] {
  const coins = new Map<string, MappedMarket[]>();
  for (const { exchange, markets } of exchanges) {
    const best = new Map<string, MappedMarket>();
    for (const { market, quote, mapped } of markets.toSorted(byPreference)) {
      if (mapped && !best.has(mapped.coin))
        best.set(mapped.coin, { exchange, market, quote, since: mapped.since });
    }
    for (const [coin, market] of best) coins.set(coin, [...(coins.get(coin) ?? []), market]);
  }
  return coins;
}

function byPreference(a: MarketState, b: MarketState): number {
  const byQuote = QUOTES.indexOf(a.quote) - QUOTES.indexOf(b.quote);
  const bySince = (a.mapped?.since ?? 0) - (b.mapped?.since ?? 0);
  return byQuote || bySince || (a.market < b.market ? -1 : 1);
}

/** What the markets of the map said in this run, which began at `takenAt` (ms since the epoch). */
export function quotesOf(
  { coins: mapped, state }: { readonly coins: SourceMap['coins']; readonly state: SourceState },
  told: readonly Told[],
  takenAt: number,
): CoinQuotes {
  const byExchange = new Map(
    state.exchanges.map(({ exchange, markets }) => [
      exchange,
      new Map(markets.map((one) => [one.market, one])),
    ]),
  );
  const quotes = new Map(
    told.map(({ exchange, quotes = [] }) => [exchange, new Map(quotes.map((one) => [one.market, one]))]),
  );
  const coins = new Map<string, CoinQuote[]>();
  for (const [coin, markets] of mapped) {
    const said = markets.flatMap(({ exchange, market }) => {
      const price = byExchange.get(exchange)?.get(market)?.said?.price;
      const { change = null, at = null } = quotes.get(exchange)?.get(market) ?? {};
      return price === undefined ? [] : [{ exchange, market, price, change, at }];
    });
    if (said.length > 0) coins.set(coin, said);
  }
  return { takenAt, coins };
}
