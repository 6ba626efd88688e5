import { listed } from '../../../../shared/marketdata/candles.ts';
import { isFar } from '../../../../shared/marketdata/gate/jump.ts';
import { ownRow } from '../../../../shared/marketdata/gate/tickers.ts';
import type { OwnRow } from '../../../../shared/marketdata/snapshot/encode.ts';
import type { Snapshot } from '../../../../shared/marketdata/snapshot/snapshot.ts';
import type { Agreement } from '../../../../shared/marketdata/sources/agreement.ts';
import type { CoinQuote, CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import { noFigures, type Ticker } from '../../../../shared/marketdata/ticker.ts';
import { median } from '../median.ts';
import { opinionOf } from './opinion.ts';

/** Two markets that are farther apart contradict each other: what lies between them is nobody's price. */
const MAX_SPREAD_PERCENT = 10;

/** What takes the place of a list that cannot be had. */
export interface Failover {
  /** Rows with the markets' prices. */
  readonly priced: readonly (OwnRow & { readonly source: string })[];
  /** The other rows of the snapshot before. */
  readonly carried: readonly OwnRow[];
}

export interface LastKnown {
  /** The provider's last list. */
  readonly list: Snapshot;
  /** What is published: that list, or what took its place the last time. */
  readonly published: Snapshot;
}

/** The rows of a list by what markets said, as far as they did. `now`: milliseconds since the epoch. */
export function failoverOf(
  ids: Iterable<string>,
  { list, published }: LastKnown,
  quotes: CoinQuotes,
  now: number,
): Failover {
  const priced: Failover['priced'][number][] = [];
  const carried: OwnRow[] = [];
  for (const id of ids) {
    const known = published.ticker(id);
    const ticker = list.ticker(id)?.data;
    const before = [known?.data, ticker].flatMap((one) => one?.quotes.USD.price || []);
    const ofCoin = believed(quotes.coins.get(id) ?? [], before);
    if (ticker && ofCoin.length > 0) {
      const source = listed(...ofCoin.map(({ exchange }) => exchange));
      const madeAt = Math.min(...ofCoin.map(({ at }) => at ?? quotes.takenAt));
      priced.push({ ticker: pricedBy(ticker, ofCoin, madeAt), takenAt: now, source });
    } else if (known) carried.push(...ownRow(known));
  }
  return { priced, carried };
}

/** Those whose median can be the price after one of those known before. */
function believed(quotes: readonly CoinQuote[], before: readonly number[]): readonly CoinQuote[] {
  const spread = opinionOf(null, quotes).sources?.spreadPercent ?? 0;
  // Of three or more the median is one of those that are near to each other, whatever the farthest says.
  const areTwoMinds = quotes.length === 2 && spread > MAX_SPREAD_PERCENT;
  // Nothing else shows that a price without a time is one of now.
  const isTimeless = quotes.length === 1 && quotes[0]?.at === null;
  const near =
    areTwoMinds || isTimeless
      ? quotes.filter(({ price }) => before.some((one) => isNear(price, one)))
      : quotes;
  return near.length > 0 && before.some((one) => !isFar(one, priceOf(near))) ? near : [];
}

function isNear(price: number, before: number): boolean {
  return Math.abs(price - before) <= before * (MAX_SPREAD_PERCENT / 100);
}

function priceOf(quotes: readonly CoinQuote[]): number {
  return median(quotes.map(({ price }) => price));
}

/**
 * A ticker with the markets' price and change of 24 hours. It keeps what hardly changes in a day, and has none of the
 * figures that would be of another time than the price.
 */
function pricedBy(ticker: Ticker, quotes: readonly CoinQuote[], madeAt: number): Ticker {
  const price = priceOf(quotes);
  const { ath_price, ath_date } = ticker.quotes.USD;
  const changes = quotes.flatMap(({ change }) => (change === null ? [] : [change]));
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

/** What markets say to a price that is their own: one by itself, or the one in the middle, confirms nothing. */
function agreementAmong(price: number, quotes: readonly CoinQuote[]): Agreement | null {
  const { sources } = opinionOf(price, quotes);
  if (sources === null || sources.of < 2) return null;
  return sources.agreeing < 2 ? { ...sources, agreeing: 0 } : sources;
}
