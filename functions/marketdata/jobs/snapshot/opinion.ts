import type { Agreement } from '../../../../shared/marketdata/sources/agreement.ts';
import { OFF } from '../../../../shared/marketdata/sources/enough.ts';
import type { CoinQuote, CoinQuotes } from '../../../../shared/marketdata/sources/source-map.ts';
import type { Ticker } from '../../../../shared/marketdata/ticker.ts';
import { median } from '../median.ts';
import { isWithin } from '../off.ts';

const DISPUTED_BEYOND = 0.1;
/** One market against the provider: nobody can tell which of the two is wrong. */
const MIN_MARKETS = 2;

export interface Opinion {
  /** Null without a market. */
  readonly sources: Agreement | null;
  /** The markets' median, if the price is too far off it. */
  readonly against: number | undefined;
}

/** What markets say to a price in USD; null: none is known. */
export function opinionOf(price: number | null, quotes: readonly CoinQuote[]): Opinion {
  const prices = quotes.map((quote) => quote.price).sort((a, b) => a - b);
  const [lowest, highest] = [prices[0], prices.at(-1)];
  if (lowest === undefined || highest === undefined) return { sources: null, against: undefined };
  const middle = median(prices);
  const agreeing = prices.filter((one) => price !== null && isWithin(OFF.agrees, one, price));
  const spreadPercent = Math.round(((highest - lowest) / middle) * 1e6) / 1e4;
  const isOff = price !== null && Math.abs(price - middle) > middle * DISPUTED_BEYOND;
  return {
    sources: { agreeing: agreeing.length, of: prices.length, spreadPercent },
    against: isOff && prices.length >= MIN_MARKETS ? middle : undefined,
  };
}

export interface Compared {
  readonly tickers: readonly Ticker[];
  /** By id: in words, both prices. */
  readonly disputed: ReadonlyMap<string, string>;
}

/** The tickers with what markets say to each of them. */
export function compared(tickers: readonly Ticker[], quotes: CoinQuotes | undefined): Compared {
  const disputed = new Map<string, string>();
  if (!quotes) return { tickers, disputed };
  const withOpinion = tickers.map((ticker) => {
    const ofCoin = quotes.coins.get(ticker.id);
    if (!ofCoin) return ticker;
    const { price } = ticker.quotes.USD;
    const { sources, against } = opinionOf(price, ofCoin);
    if (against !== undefined) {
      const names = ofCoin.map(({ exchange }) => exchange).join(', ');
      disputed.set(ticker.id, `${ticker.id}: ${price} USD, where ${names} say ${against}`);
    }
    return { ...ticker, sources };
  });
  return { tickers: withOpinion, disputed };
}
