/** What the markets of a coin say together: which of them count, and what their price is beside the provider's. */
import { PARTS } from '../../../../shared/marketdata/gate/bounds.ts';
import { isWithin, median } from '../../../../shared/marketdata/sources/market.ts';
import type { CoinQuote, EarlierRun } from '../../../../shared/marketdata/sources/source-map.ts';
import type { ListedCoin } from '../../../../shared/marketdata/store/listed-coins.ts';
import { QUOTE_COUNTS_MS, type Quote } from '../../../../shared/marketdata/store/quotes.ts';
import { MAX_CLOCK_LEAD_MS, MINUTE_MS } from '../../../../shared/platform/time.ts';

/** A market's price with the time that it is of. */
export type TimedQuote = CoinQuote & { readonly madeAt: number };

/** The provider's price of a coin. */
export type Stated = Pick<ListedCoin, 'price' | 'madeAt' | 'isDisputed'>;

/** A coin's median in an earlier run. */
interface EarlierPrice {
  readonly takenAt: number;
  readonly price: number;
}

export interface Known {
  /** The provider's; undefined: not in its list. */
  readonly stated: Stated | undefined;
  /** Of the last half hour, the newest first. */
  readonly earlier: readonly EarlierPrice[];
  readonly now: number;
}

/** Prices are of the same minute within this time. */
const SAME_MINUTE_MS = 90_000;

/**
 * The price of a coin at its markets: the median of those that count, if two are within a tenth of each other, or that of the only one
 * if it is within a tenth of the provider's last. Undefined otherwise: then the provider's price stays.
 */
export function quoteOf(quotes: readonly TimedQuote[], known: Known): Quote | undefined {
  const { stated, earlier, now } = known;
  const counting = countingOf(quotes, now);
  const used = counting.length > 1 ? agreeingOf(counting) : nearStated(counting, stated);
  if (used.length === 0) return undefined;
  const price = median(used.map((quote) => quote.price));
  return {
    price,
    madeAt: Math.min(...used.map(({ madeAt }) => madeAt)),
    isDisputed: used.length > 1 && contradicts(price, known),
    change15m: changeIn(15 * MINUTE_MS, price, earlier, now),
    change30m: changeIn(30 * MINUTE_MS, price, earlier, now),
    prices: used.map(({ exchange, price: own }) => ({ exchange, price: own })),
  };
}

/**
 * The quotes of the last five minutes that no offers contradict. One without a time of its own counts only while its offers or another
 * market confirm it; where none is confirmed, one that is known to be traded since counts, as old as that.
 */
function countingOf(quotes: readonly TimedQuote[], now: number): readonly TimedQuote[] {
  const recent = quotes.filter(({ madeAt, ...quote }) => {
    const isRecent = now < madeAt + QUOTE_COUNTS_MS && madeAt <= now + MAX_CLOCK_LEAD_MS;
    return isRecent && offersSay(quote) !== 'another';
  });
  const confirmed = recent.filter((quote) => {
    if (quote.at !== null || offersSay(quote) === 'this') return true;
    return recent.some(
      (other) => other.exchange !== quote.exchange && isWithin(PARTS.agrees, quote.price, other.price),
    );
  });
  if (confirmed.length > 0) return confirmed;
  return recent.flatMap((quote) => {
    const { tradedAfter = Number.NEGATIVE_INFINITY } = quote;
    return now < tradedAfter + QUOTE_COUNTS_MS ? [{ ...quote, madeAt: tradedAfter }] : [];
  });
}

/** What a market's best offers say of its last trade. */
function offersSay({ price, bid, ask }: CoinQuote): 'this' | 'another' | 'nothing' {
  if (price < (bid ?? price) * (1 - PARTS.agrees) || price > (ask ?? price) * (1 + PARTS.agrees))
    return 'another';
  // Between offers that are far apart any price fits.
  return bid !== undefined && ask !== undefined && ask <= bid * (1 + PARTS.disputed) ? 'this' : 'nothing';
}

/** The most that are within a tenth of each other; none if all contradict each other. */
function agreeingOf(quotes: readonly TimedQuote[]): readonly TimedQuote[] {
  const groups = quotes.map((least) =>
    quotes.filter(({ price }) => price >= least.price && price <= least.price * (1 + PARTS.disputed)),
  );
  const most = groups.reduce((a, b) => (b.length > a.length ? b : a), []);
  return most.length > 1 ? most : [];
}

function nearStated(quotes: readonly TimedQuote[], stated: Stated | undefined): readonly TimedQuote[] {
  const last = stated?.isDisputed ? null : stated?.price;
  return last ? quotes.filter(({ price }) => isWithin(PARTS.disputed, price, last)) : [];
}

/** Whether the provider's price of the same minute is more than a tenth off; of another minute a crash explains a third. */
function contradicts(price: number, { stated, earlier, now }: Known): boolean {
  if (!stated?.price) return false;
  const nearest = nearestTo(stated.madeAt, [{ takenAt: now, price }, ...earlier]);
  if (!nearest) return false;
  const isOfMinute = Math.abs(nearest.takenAt - stated.madeAt) <= SAME_MINUTE_MS;
  return !isWithin(isOfMinute ? PARTS.disputed : PARTS.disputedLater, stated.price, nearest.price);
}

/** Percent in the time before now, in hundredths; null if no run is of its beginning. */
function changeIn(
  lengthMs: number,
  price: number,
  earlier: readonly EarlierPrice[],
  now: number,
): number | null {
  const nearest = nearestTo(now - lengthMs, earlier);
  if (!nearest || Math.abs(nearest.takenAt - (now - lengthMs)) > lengthMs * PARTS.changeTime) return null;
  return Math.round((price / nearest.price - 1) * 10_000) / 100;
}

function nearestTo(time: number, runs: readonly EarlierPrice[]): EarlierPrice | undefined {
  const distance = ({ takenAt }: EarlierPrice) => Math.abs(takenAt - time);
  return runs.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** A coin's medians in the runs before. */
export function earlierOf(runs: readonly EarlierRun[], id: string): readonly EarlierPrice[] {
  return runs.flatMap(({ takenAt, medians }) => {
    const price = medians.get(id);
    return price === undefined ? [] : [{ takenAt, price }];
  });
}
