import type { Candle } from '../../marketdata/candles.ts';
import type { Market, MarketQuote } from '../../marketdata/sources/market.ts';
import type { Span } from '../../marketdata/window.ts';
import { array, object, text } from '../../platform/json-fields.ts';
import { candlesOf, decimal } from '../exchange-rows.ts';

export function readMarkets(json: unknown): Market[] {
  return array(json, 'the answer').map((item) => {
    const product = object(item, 'a product');
    return {
      id: text(product, 'id'),
      base: text(product, 'base_currency').toUpperCase(),
      quote: text(product, 'quote_currency').toUpperCase(),
      isOpen: text(product, 'status') === 'online' && product.trading_disabled !== true,
    };
  });
}

/** Nothing of a market that has not been traded in. */
export function readQuote(json: unknown, market: string): MarketQuote[] {
  const ticker = object(json, 'the ticker');
  const price = decimal(ticker.price, 'price');
  return price === 0 ? [] : [{ market, price, volume: decimal(ticker.volume, 'volume'), change: null }];
}

/** From 24 hours of each market; the ones that nobody has traded in for so long say nothing. */
export function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return Object.entries(object(json, 'the answer')).flatMap(([market, item]) => {
    const { stats_24hour: day } = object(item, market);
    if (!markets.has(market) || day === undefined) return [];
    const { open, last, volume } = object(day, 'stats_24hour');
    const price = last === undefined ? 0 : decimal(last, 'last');
    const before = open === undefined ? 0 : decimal(open, 'open');
    if (price === 0) return [];
    const change = before > 0 ? (price / before - 1) * 100 : null;
    return [{ market, price, volume: decimal(volume, 'volume'), change }];
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
