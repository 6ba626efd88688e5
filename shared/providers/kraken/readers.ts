import type { Candle } from '../../marketdata/candles.ts';
import { type Market, type MarketQuote, OFF } from '../../marketdata/sources/market.ts';
import type { Span } from '../../marketdata/window.ts';
import { array, type JsonObject, object, readRows, text, textOrNull } from '../../platform/json-fields.ts';
import { candlesOf, decimal } from '../exchange-rows.ts';
import { firstError } from './refusal.ts';

/** Kraken's own names of what everybody else calls otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['XBT', 'BTC'],
  ['XDG', 'DOGE'],
]);

/** In these orders are matched, and not in `cancel_only`, `post_only` and `reduce_only`. */
const OPEN = ['online', 'limit_only'];

/** Those without a name for its feeds, `XBT/USD`, are none that anybody may trade in. */
export function readMarkets(json: unknown): Market[] {
  return readRows(Object.entries(resultIn(json)), ([id, item]) => {
    const pair = object(item, id);
    const [base, quote, ...more] = textOrNull(pair, 'wsname')?.split('/').map(symbolOf) ?? [];
    if (base === undefined || quote === undefined || more.length > 0) return [];
    return [{ id, base, quote, isOpen: OPEN.includes(text(pair, 'status').toLowerCase()) }];
  });
}

/**
 * The volume is that of 24 hours; the opening price is that of midnight, which gives no change of 24 hours. The last trade
 * has no time: its price is one of now only if the best offers, which are of now, are near it.
 */
export function readQuotes(json: unknown, markets: ReadonlySet<string>): MarketQuote[] {
  return readRows(Object.entries(resultIn(json)), ([market, item]) => {
    if (!markets.has(market)) return [];
    const ticker = object(item, market);
    const price = decimal(array(ticker.c, 'c')[0], 'c[0]');
    const volume = decimal(array(ticker.v, 'v')[1], 'v[1]');
    const [bid, ask] = [offerOf(ticker.b, 'b'), offerOf(ticker.a, 'a')];
    const isOld = price * (1 + OFF.agrees) < bid || (ask > 0 && price > ask * (1 + OFF.agrees));
    const isSilent = price === 0 || isOld; // nobody has traded in it, ever or at prices of now
    return isSilent ? [] : [{ market, price, volume, change: null, at: null }];
  });
}

/** From rows of time (seconds), open, high, low, close, …; the pair's key may be another than that asked for. */
export function readCandles(json: unknown, window: Span): Candle[] {
  const pairs = Object.entries(resultIn(json)).filter(([name]) => name !== 'last');
  const [pair, ...others] = pairs;
  if (!pair || others.length > 0) throw new Error(`result has ${pairs.length} pairs`);
  const rows = array(pair[1], 'the candles').map((item) => {
    const [time, open, high, low, close] = array(item, 'a candle');
    return { time: decimal(time, 'time') * 1000, open, high, low, close };
  });
  return candlesOf(rows, window);
}

/** The price of the best offer; 0 without one. */
function offerOf(offer: unknown, name: string): number {
  return decimal(array(offer, name)[0], `${name}[0]`);
}

function symbolOf(name: string): string {
  const symbol = name.toUpperCase();
  return ALIASES.get(symbol) ?? symbol;
}

function resultIn(json: unknown): JsonObject {
  const { error, result } = object(json, 'the answer');
  const first = firstError(error);
  if (first !== undefined) throw new Error(`it says ${first.slice(0, 200)}`);
  return object(result, 'result');
}
