import type { Candle } from '../../marketdata/candles.ts';
import type { Market, MarketQuote } from '../../marketdata/sources/market.ts';
import type { Span } from '../../marketdata/window.ts';
import { array, object, readRows, text } from '../../platform/json-fields.ts';
import { candlesOf, changeSince, decimal, isSet } from '../exchange-rows.ts';

/** What keeps orders from being matched. Limit orders alone, `limit_only`, are. */
const CLOSING = ['trading_disabled', 'cancel_only', 'post_only', 'auction_mode'];

export function readMarkets(json: unknown): Market[] {
  return readRows(array(json, 'the answer'), (item) => {
    const product = object(item, 'a product');
    const market = {
      id: text(product, 'id'),
      base: text(product, 'base_currency').toUpperCase(),
      quote: text(product, 'quote_currency').toUpperCase(),
      isOpen:
        text(product, 'status').toLowerCase() === 'online' && !CLOSING.some((name) => isSet(product[name])),
    };
    return [market];
  });
}

/** Nothing of a market that has not been traded in. */
export function readQuote(json: unknown, market: string): MarketQuote[] {
  const ticker = object(json, 'the ticker');
  const price = ticker.price === undefined ? 0 : decimal(ticker.price, 'price');
  if (price === 0) return [];
  const at = Date.parse(text(ticker, 'time'));
  return [{ market, price, volume: decimal(ticker.volume, 'volume'), change: null, at }];
}

/** From the last 24 hours of each market. They have no time, and no price if nobody has traded in the market. */
export function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return readRows(Object.entries(object(json, 'the answer')), ([market, item]) => {
    const { stats_24hour: day } = object(item, market);
    if (!markets.has(market) || day === undefined) return [];
    const { open, last, volume } = object(day, 'stats_24hour');
    const price = last === undefined ? 0 : decimal(last, 'last');
    if (price === 0) return [];
    const change = changeSince(open, price);
    return [{ market, price, volume: decimal(volume, 'volume'), change, at: null }];
  });
}

/** From rows of time (seconds), low, high, open, close and volume, newest first; some may precede the window. */
export function readCandles(json: unknown, window: Span): Candle[] {
  const rows = array(json, 'the answer').map((item) => {
    const [time, low, high, open, close] = array(item, 'a candle');
    return { time: decimal(time, 'time') * 1000, open, high, low, close };
  });
  return candlesOf(rows, window);
}
