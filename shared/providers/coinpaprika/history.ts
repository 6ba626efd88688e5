import { type Candle, inOrder, isoSeconds, type PricePoint } from '../../marketdata/candles.ts';
import type { HistoryQuery, ProviderRequest } from '../../marketdata/provider.ts';
import type { Window } from '../../marketdata/window.ts';
import { array, instant, numberOrNull, object } from '../../platform/json-fields.ts';
import { coinPath } from './path.ts';

export function candles({ id, quote, window }: HistoryQuery): ProviderRequest<Candle[]> {
  const query = new URLSearchParams({
    start: isoSeconds(window.from),
    ...endOf(window),
    interval: window.base,
    limit: String(rowsIn(window)),
    quote,
  });
  return {
    ...pathAndKey(coinPath`/coins/${id}/ohlcv/historical`, query, window),
    coinId: id,
    read: readCandles,
  };
}

/** Every plan has some of it. */
export function prices({ id, quote, window }: HistoryQuery, from: number): ProviderRequest<PricePoint[]> {
  const query = new URLSearchParams({
    start: isoSeconds(from),
    ...endOf(window),
    interval: window.base === '24h' ? '1d' : '1h', // its default, 5m, is not free
    limit: String(rowsIn({ ...window, from })),
    quote,
  });
  return { ...pathAndKey(coinPath`/tickers/${id}/historical`, query, window), coinId: id, read: readPrices };
}

function rowsIn({ from, to, stepMs }: Window): number {
  return Math.max(1, Math.round((to - from) / stepMs));
}

/** Only for windows that are over: up to now is what the provider gives of itself. */
function endOf({ to, closed }: Window): { end?: string } {
  return closed ? { end: isoSeconds(to - 1000) } : {};
}

function pathAndKey(resource: string, query: URLSearchParams, { closed }: Window) {
  const latest = new URLSearchParams(query);
  latest.delete('start');
  return {
    path: `${resource}?${query}`,
    // The number of rows says all of a window up to now; with its start, yesterday's could never stand in for today's.
    key: `${resource}?${closed ? query : latest}`,
  };
}

/** Takes candles from the provider's answer; one without a price, as before a coin's first trade, is left out. */
export function readCandles(json: unknown): Candle[] {
  const found = array(json, 'the answer').flatMap((item) => {
    const source = object(item, 'a candle');
    const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) =>
      numberOrNull(source, name),
    );
    const times = { time_open: instant(source, 'time_open'), time_close: instant(source, 'time_close') };
    const amounts = {
      volume: numberOrNull(source, 'volume'),
      market_cap: numberOrNull(source, 'market_cap'),
    };
    if (open == null || high == null || low == null || close == null) return [];
    return [{ ...times, open, high, low, close, ...amounts }];
  });
  return inOrder(found, ({ time_open }) => time_open);
}

export function readPrices(json: unknown): PricePoint[] {
  const found = array(json, 'the answer').flatMap((item) => {
    const source = object(item, 'a price');
    const price = numberOrNull(source, 'price');
    const timestamp = instant(source, 'timestamp');
    const amounts = {
      volume_24h: numberOrNull(source, 'volume_24h'),
      market_cap: numberOrNull(source, 'market_cap'),
    };
    return price === null ? [] : [{ timestamp, price, ...amounts }];
  });
  return inOrder(found, ({ timestamp }) => timestamp);
}
