/** What markets add to a list: a second price beside each ticker's, or prices that replace an unavailable list. */
import { listed } from '../../../../shared/marketdata/candles.ts';
import { isFar } from '../../../../shared/marketdata/gate/implausible.ts';
import { ownRow } from '../../../../shared/marketdata/gate/tickers.ts';
import { type Agreement, isWithin, median, OFF } from '../../../../shared/marketdata/sources/market.ts';
import type { CoinQuote, CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import type { OwnRow, Snapshot } from '../../../../shared/marketdata/store/snapshot.ts';
import { noFigures, type Ticker } from '../../../../shared/marketdata/ticker.ts';

const DISPUTED_BEYOND = 0.1;
/** If a single market contradicts the provider, either may be wrong. */
const MIN_MARKETS = 2;
/** Two markets that are further apart contradict each other, and their mean would be no market's price. */
const MAX_SPREAD_PERCENT = 10;

export interface Opinion {
  /** Null without a market. */
  readonly sources: Agreement | null;
  /** The markets' median, if the price is too far off it. */
  readonly against: number | undefined;
}

/** How markets compare with a price in USD; null: it has no price. */
export function opinionOf(price: number | null, quotes: readonly CoinQuote[]): Opinion {
  if (quotes.length === 0) return { sources: null, against: undefined };
  const prices = quotes.map((quote) => quote.price);
  const middle = median(prices);
  const agreeing = prices.filter((one) => price !== null && isWithin(OFF.agrees, one, price)).length;
  const spread = (Math.max(...prices) - Math.min(...prices)) / middle;
  const isOff = price !== null && Math.abs(price - middle) > middle * DISPUTED_BEYOND;
  return {
    sources: {
      agreeing,
      of: prices.length,
      spreadPercent: Math.round(spread * 1e6) / 1e4,
      prices: quotes.map(({ exchange, price: last }) => ({ exchange, price: last })),
    },
    against: isOff && prices.length >= MIN_MARKETS ? middle : undefined,
  };
}

/** The tickers, each with its markets' opinion; and disputed ones by id, with both prices in words. */
export function withOpinions(tickers: readonly Ticker[], quotes: CoinQuotes | undefined) {
  const disputed = new Map<string, string>();
  const compared = tickers.map((ticker): Ticker => {
    const ofCoin = quotes?.coins.get(ticker.id);
    if (!ofCoin) return ticker;
    const { price } = ticker.quotes.USD;
    const { sources, against } = opinionOf(price, ofCoin);
    if (against !== undefined) {
      const names = ofCoin.map(({ exchange }) => exchange).join(', ');
      disputed.set(ticker.id, `${ticker.id}: ${price} USD; ${against} at ${names}`);
    }
    return { ...ticker, sources };
  });
  return { tickers: compared, disputed };
}

/** The rows that replace a list. */
export interface Failover {
  /** The rows with the markets' prices. */
  readonly priced: readonly (OwnRow & { readonly source: string })[];
  /** The other rows of the last snapshot. */
  readonly carried: readonly OwnRow[];
}

/**
 * The provider's last list with the prices of markets, for coins that have any. `published` is that list, or what replaced it
 * the last time. `now`: milliseconds since the epoch.
 */
export function failoverOf(
  { list, published }: { readonly list: Snapshot; readonly published: Snapshot },
  quotes: CoinQuotes,
  now: number,
): Failover {
  const priced: Failover['priced'][number][] = [];
  const carried: OwnRow[] = [];
  for (const { data: ticker } of list.tickers()) {
    const last = published.ticker(ticker.id);
    const before = [last?.data, ticker].flatMap((one) => one?.quotes.USD.price || []);
    const usable = usableQuotes(quotes.coins.get(ticker.id) ?? [], before);
    if (usable.length > 0) {
      const source = listed(...usable.map(({ exchange }) => exchange));
      const madeAt = Math.min(...usable.map(({ at }) => at ?? quotes.takenAt));
      priced.push({ ticker: withPrice(ticker, usable, madeAt), takenAt: now, source });
    } else carried.push(...ownRow(last));
  }
  return { priced, carried };
}

/** Quotes whose median plausibly follows one of the known prices. */
function usableQuotes(quotes: readonly CoinQuote[], before: readonly number[]): readonly CoinQuote[] {
  const spread = opinionOf(null, quotes).sources?.spreadPercent ?? 0;
  // Of three or more, the median lies among quotes that are close to each other, however far the furthest is.
  const contradict = quotes.length === 2 && spread > MAX_SPREAD_PERCENT;
  // Nothing else shows that a price without a time is current.
  const isTimeless = quotes.length === 1 && quotes[0]?.at === null;
  const isNear = (price: number, known: number) =>
    Math.abs(price - known) <= known * (MAX_SPREAD_PERCENT / 100);
  const usable = quotes.filter(
    ({ price }) => !(contradict || isTimeless) || before.some((known) => isNear(price, known)),
  );
  return usable.length > 0 && before.some((known) => !isFar(known, medianPrice(usable))) ? usable : [];
}

function medianPrice(quotes: readonly CoinQuote[]): number {
  return median(quotes.map(({ price }) => price));
}

/**
 * A ticker with the markets' price and 24-hour change. It keeps figures that hardly change in a day, and drops those that would
 * be of another time than the price.
 */
function withPrice(ticker: Ticker, quotes: readonly CoinQuote[], madeAt: number): Ticker {
  const price = medianPrice(quotes);
  const { ath_price, ath_date } = ticker.quotes.USD;
  const changes = quotes.flatMap(({ change }) => change ?? []);
  const isHighest = ath_price !== null && price > ath_price;
  return {
    ...ticker,
    last_updated: new Date(madeAt).toISOString(),
    quotes: {
      USD: {
        ...noFigures,
        price,
        percent_change_24h: changes.length > 0 ? median(changes) : null,
        ath_price: isHighest ? null : ath_price,
        ath_date: isHighest ? null : ath_date,
      },
    },
    sources: agreementAmong(price, quotes),
  };
}

/** How markets agree with their own price: a single market, or the one in the middle, confirms nothing. */
function agreementAmong(price: number, quotes: readonly CoinQuote[]): Agreement | null {
  const { sources } = opinionOf(price, quotes);
  if (sources === null || sources.of < 2) return null;
  return sources.agreeing < 2 ? { ...sources, agreeing: 0 } : sources;
}
