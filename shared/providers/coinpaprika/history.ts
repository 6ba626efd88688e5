import { type Candle, inOrder, isoSeconds, type PricePoint } from '../../marketdata/candles.ts';
import { closeAfter, type Window } from '../../marketdata/window.ts';
import type { Cached } from '../client/cache.ts';
import type { CoinPaprika, ProviderData } from './client.ts';
import { pathSegment } from './path.ts';
import { array, instant, type JsonObject, numberOrNull, object } from './shapes.ts';

export type Quote = 'usd' | 'btc';

export interface HistoryQuery {
  readonly id: string;
  readonly quote: Quote;
  readonly window: Window;
}

/** All but the last candles of an old answer are as good as ever. */
const STALE_MS = 7 * 86_400_000;

/** The provider's own candles of a window, ascending. Throws PlanRefusal where the plan has none so old. */
export async function candles(
  provider: CoinPaprika,
  { id, quote, window }: HistoryQuery,
  deadline: number,
): Promise<Cached<ProviderData<Candle[]>>> {
  const query = new URLSearchParams({
    start: isoSeconds(window.from),
    ...endOf(window),
    interval: window.base,
    limit: String(rowsIn(window)),
    quote,
  });
  return provider.get(
    historyRequest(`/coins/${pathSegment(id)}/ohlcv/historical`, query, id, window, readCandles),
    deadline,
  );
}

/** The price history of a window, ascending, with one point more before it; every plan has some of it. */
export async function prices(
  provider: CoinPaprika,
  { id, quote, window }: HistoryQuery,
  from: number,
  deadline: number,
): Promise<Cached<ProviderData<PricePoint[]>>> {
  const query = new URLSearchParams({
    start: isoSeconds(from),
    ...endOf(window),
    interval: window.base === '24h' ? '1d' : '1h', // its default, 5m, is not free
    limit: String(rowsIn({ ...window, from })),
    quote,
  });
  return provider.get(
    historyRequest(`/tickers/${pathSegment(id)}/historical`, query, id, window, readPrices),
    deadline,
  );
}

function rowsIn({ from, to, stepMs }: Window): number {
  return Math.max(1, Math.round((to - from) / stepMs));
}

/** Only for windows that are over: up to now is what the provider gives of itself. */
function endOf({ to, closed }: Window): { end?: string } {
  return closed ? { end: isoSeconds(to - 1000) } : {};
}

function historyRequest<T>(
  resource: string,
  query: URLSearchParams,
  coinId: string,
  window: Window,
  read: (json: unknown) => T,
) {
  const latest = new URLSearchParams(query);
  latest.delete('start');
  return {
    path: `${resource}?${query}`,
    // The number of rows says all of a window up to now; with its start, yesterday's could never stand in for today's.
    key: `${resource}?${window.closed ? query : latest}`,
    coinId,
    read,
    freshUntil: (askedAt: number) => closeAfter(askedAt, window.base),
    staleForMs: STALE_MS,
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
    const source: JsonObject = object(item, 'a price');
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
