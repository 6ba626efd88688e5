import type { Candle } from '../../marketdata/candles.ts';
import type { Market, MarketQuote } from '../../marketdata/sources/market.ts';
import type { Span } from '../../marketdata/window.ts';
import { array, type JsonObject, object, readRows, text } from '../../platform/json-fields.ts';
import { candlesOf, changeSince, decimal, isSet } from '../exchange-rows.ts';

/** A market in thousands of a coin keeps its own symbol, such as `1000SATS`, which is no other coin's. */
export function readMarkets(json: unknown): Market[] {
  return readRows(array(object(json, 'the answer').symbols, 'symbols'), (item) => {
    const symbol = object(item, 'a symbol');
    const market = {
      id: text(symbol, 'symbol'),
      base: text(symbol, 'baseAsset').toUpperCase(),
      quote: text(symbol, 'quoteAsset').toUpperCase(),
      isOpen: text(symbol, 'status').toUpperCase() === 'TRADING' && isSpot(symbol),
    };
    return [market];
  });
}

/** What is not said is no reason to leave a market out: the list is asked for what is traded on the spot. */
function isSpot({ isSpotTradingAllowed = true, permissions = [], permissionSets = [] }: JsonObject): boolean {
  const lists = [permissions, permissionSets].map((names) => [names].flat(3));
  const isPermitted = lists.every((names) => names.length === 0 || names.includes('SPOT'));
  return isPermitted && isSet(isSpotTradingAllowed);
}

/** The change is that of the prices beside it, whatever `priceChangePercent` says. */
export function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return readRows(array(json, 'the answer'), (item) => {
    const ticker = object(item, 'a ticker');
    const market = text(ticker, 'symbol');
    if (!markets.has(market)) return [];
    const price = decimal(ticker.lastPrice, 'lastPrice');
    const volume = decimal(ticker.volume, 'volume');
    const change = changeSince(ticker.openPrice, price);
    const at = decimal(ticker.closeTime, 'closeTime');
    return price === 0 ? [] : [{ market, price, volume, change, at }]; // nobody has traded in it
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
