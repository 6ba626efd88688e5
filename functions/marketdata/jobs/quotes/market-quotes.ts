/** The prices of all mapped markets in USD, as a run received them. */
import type {
  CoinQuote,
  CoinQuotes,
  EarlierRun,
  SourceMap,
} from '../../../../shared/marketdata/sources/source-map.ts';
import { MINUTE_MS } from '../../../../shared/platform/time.ts';
import { stableCoins } from '../candles/rates.ts';
import type { Quoted } from '../exchange-quotes.ts';
import { type Coins, type Rates, ratesOf, type SymbolPrice } from '../markets/coins.ts';
import type { TimedQuote } from './price-of-coin.ts';

/** What the exchanges answered, by name; without those that did not. */
export type Answers = ReadonlyMap<string, Quoted>;

/** Runs are kept for as long as the longest change is measured from them, and some minutes. */
const KEPT_MS = 35 * MINUTE_MS;
/** An exchange whose prices all stand still for so long has stopped: it answers, but with what it had. */
const STOPPED_AFTER_MS = 2 * MINUTE_MS;
/** With fewer markets, a minute without a trade is none of them. */
const LEAST_MARKETS = 20;

/** The rates of the quotes that markets have; `prices` are the provider's of the stablecoins. */
export function ratesIn(
  { coins }: SourceMap,
  answers: Answers,
  prices: (id: string) => number | null,
): Rates {
  const stable = Object.entries(stableCoins);
  const stated: Coins = new Map(stable.map(([symbol, id]) => [id, { id, symbol, price: prices(id) }]));
  const inDollars = stable.flatMap(([symbol, id]): SymbolPrice[] =>
    (coins.get(id) ?? []).flatMap(({ exchange, market, quote }) => {
      const own = answers.get(exchange)?.quotes.find((one) => one.market === market);
      return own && quote === 'USD' && own.price > 0 ? [{ symbol, price: own.price }] : [];
    }),
  );
  return ratesOf(stated, inDollars);
}

/** The quotes of the mapped markets by coin id, in the order of the map; those without trades in a day or without a rate are left out. */
export function marketQuotes(
  { coins }: SourceMap,
  answers: Answers,
  rates: Rates,
): ReadonlyMap<string, readonly TimedQuote[]> {
  const byMarket = new Map(
    Array.from(answers, ([exchange, { quotes, madeAt, source }]) => {
      const own = new Map(quotes.map((quote) => [quote.market, quote]));
      return [exchange, { own, madeAt, source }] as const;
    }),
  );
  const all = Array.from(coins, ([id, markets]) => {
    const quotes = markets.flatMap(({ exchange, market, quote }): TimedQuote[] => {
      const { own, madeAt = 0, source } = byMarket.get(exchange) ?? {};
      const said = own?.get(market);
      const rate = rates[quote];
      if (!said || !rate || !(said.price > 0) || !(said.volume > 0)) return [];
      const inUsd = (value: number | undefined) => value && value * rate;
      return [
        {
          ...{ exchange, market, price: said.price * rate, change: said.change, at: said.at },
          ...{ bid: inUsd(said.bid), ask: inUsd(said.ask), high: inUsd(said.high), low: inUsd(said.low) },
          ...{ volume: said.volume, madeAt: said.at ?? madeAt },
          ...(source !== exchange && { source }),
        },
      ];
    });
    return [id, quotes] as const;
  });
  return new Map(all.filter(([, quotes]) => quotes.length > 0));
}

/** With what silent exchanges said before, for two minutes: one failed request takes no price away. */
export function withCarried(
  quotes: ReadonlyMap<string, readonly TimedQuote[]>,
  { coins }: SourceMap,
  {
    answers,
    before,
    now,
  }: { readonly answers: Answers; readonly before: CoinQuotes | undefined; readonly now: number },
): ReadonlyMap<string, readonly TimedQuote[]> {
  const all = Array.from(coins, ([id, markets]) => {
    const own = quotes.get(id) ?? [];
    const last = before?.coins.get(id) ?? [];
    const both = markets.flatMap(({ exchange, market }): TimedQuote[] => {
      const isOf = (one: CoinQuote) => one.exchange === exchange && one.market === market;
      const quote = answers.has(exchange) ? own.find(isOf) : last.find(isOf);
      const { madeAt = 0 } = quote ?? {};
      const counts = quote && (answers.has(exchange) || now - madeAt < STOPPED_AFTER_MS);
      return counts ? [{ ...quote, madeAt }] : [];
    });
    return [id, both] as const;
  });
  return new Map(all.filter(([, both]) => both.length > 0));
}

/**
 * With the time since which a price without a time was traded: it differs from that of the run before, which in another quote than USD
 * may be due to the rate, or the volume has risen, which nothing but a trade does.
 */
export function withTrades(
  quotes: ReadonlyMap<string, readonly TimedQuote[]>,
  { coins }: SourceMap,
  before: CoinQuotes | undefined,
): ReadonlyMap<string, readonly TimedQuote[]> {
  const all = Array.from(quotes, ([id, own]) => {
    const inDollars = new Set(coins.get(id)?.flatMap((one) => (one.quote === 'USD' ? [marketOf(one)] : [])));
    const traded = own.map((quote): TimedQuote => {
      const last = before?.coins.get(id)?.find((one) => marketOf(one) === marketOf(quote));
      if (quote.at !== null || !last) return quote;
      const hasMoved = inDollars.has(marketOf(quote)) && last.price !== quote.price;
      const isTraded = hasMoved || (quote.volume ?? 0) > (last.volume ?? Number.POSITIVE_INFINITY);
      const tradedAfter = isTraded ? last.madeAt : last.tradedAfter;
      return tradedAfter === undefined ? quote : { ...quote, tradedAfter };
    });
    return [id, traded] as const;
  });
  return new Map(all);
}

/** When any market of each exchange last moved; `before` is what the run before stored. */
export function movedAt(
  quotes: ReadonlyMap<string, readonly TimedQuote[]>,
  before: CoinQuotes | undefined,
  now: number,
): Readonly<Record<string, number>> {
  const last = new Map(
    [...(before?.coins.values() ?? [])].flat().map((quote) => [marketOf(quote), quote.volume] as const),
  );
  const byExchange = Map.groupBy([...quotes.values()].flat(), ({ exchange }) => exchange);
  const all = Array.from(byExchange, ([exchange, own]): [string, number] => {
    // Volumes, because a stablecoin's rate moves all prices in it.
    const stands =
      own.length >= LEAST_MARKETS && own.every((quote) => last.get(marketOf(quote)) === quote.volume);
    return [exchange, stands ? (before?.movedAt?.[exchange] ?? now) : now];
  });
  return Object.fromEntries(all);
}

/** Those that count beside the run before: not of an exchange that stands still, and none older than what it said before. */
export function usableQuotes(
  quotes: readonly TimedQuote[],
  moved: Readonly<Record<string, number>>,
  before: readonly CoinQuote[],
  now: number,
): readonly TimedQuote[] {
  return quotes.filter(({ exchange, market, at }) => {
    const last = before.find((one) => one.exchange === exchange && one.market === market)?.at ?? null;
    const isBackInTime = at !== null && last !== null && at < last;
    return !isBackInTime && now - (moved[exchange] ?? now) < STOPPED_AFTER_MS;
  });
}

/** The runs that the next one is compared with: this one and those of the last half hour. */
export function runsAfter(before: CoinQuotes | undefined, now: number): readonly EarlierRun[] {
  if (!before) return [];
  const { takenAt, prices = {}, earlier = [] } = before;
  const medians = new Map(Object.entries(prices));
  // A later one is of a wrong clock.
  return [{ takenAt, medians }, ...earlier].filter(
    (run) => run.takenAt < now && run.takenAt >= now - KEPT_MS,
  );
}

function marketOf({ exchange, market }: Pick<CoinQuote, 'exchange' | 'market'>): string {
  return `${exchange} ${market}`;
}
