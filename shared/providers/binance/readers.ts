import type { Candle } from '../../marketdata/candles.ts';
import type { Market, MarketQuote } from '../../marketdata/sources/market.ts';
import type { Span } from '../../marketdata/window.ts';
import { array, object, text } from '../../platform/json-fields.ts';
import { candlesOf, decimal } from '../exchange-rows.ts';

/** A market in thousands of a coin keeps its own symbol, such as `1000SATS`, which is no other coin's. */
export function readMarkets(json: unknown): Market[] {
  return array(object(json, 'the answer').symbols, 'symbols').map((item) => {
    const symbol = object(item, 'a symbol');
    return {
      id: text(symbol, 'symbol'),
      base: text(symbol, 'baseAsset').toUpperCase(),
      quote: text(symbol, 'quoteAsset').toUpperCase(),
      isOpen: text(symbol, 'status') === 'TRADING',
    };
  });
}

export function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return array(json, 'the answer').flatMap((item) => {
    const ticker = object(item, 'a ticker');
    const market = text(ticker, 'symbol');
    if (!markets.has(market)) return [];
    const price = decimal(ticker.lastPrice, 'lastPrice');
    const volume = decimal(ticker.volume, 'volume');
    const change = decimal(ticker.priceChangePercent, 'priceChangePercent');
    return price === 0 ? [] : [{ market, price, volume, change }]; // nobody has traded in it
  });
}

/** From rows of time (ms), open, high, low, close, …, ascending. */
export function readCandles(json: unknown, window: Span): Candle[] {
  const rows = array(json, 'the answer').map((item) => {
    const [time, open, high, low, close] = array(item, 'a candle');
    return { time: decimal(time, 'time'), open, high, low, close };
  });
  return candlesOf(rows, window);
}
