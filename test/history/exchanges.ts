import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

type ExchangeName = 'coinbase' | 'binance';

/** A request to an exchange; times in milliseconds since the epoch, `to` exclusive. */
interface CandleRequest {
  readonly market: string;
  readonly stepMs: number;
  readonly from: number;
  readonly to: number;
}

/** Prices of an interval; undefined: no trades. */
export type PricesAt = (
  market: string,
  opensAt: number,
  stepMs: number,
) => readonly [open: number, high: number, low: number, close: number] | undefined;

interface TestExchange {
  readonly requests: CandleRequest[];
  prices: PricesAt;
  /** Responds instead of the exchange; true if it has. */
  instead: ((window: CandleRequest, response: ServerResponse) => boolean) | undefined;
  readonly url: string;
}

const settings = {
  coinbase: 'COINBASE_BASE_URL',
  binance: 'BINANCE_BASE_URL',
} as const;

/** Serves an exchange's candles in its own protocol on loopback until the test ends, and sets its base URL. */
export async function startExchange(name: ExchangeName, prices: PricesAt): Promise<TestExchange> {
  const exchange = {
    requests: [] as CandleRequest[],
    prices,
    instead: undefined as TestExchange['instead'],
    url: '',
  };
  const server = createServer((request, response) => {
    const window = requestOf[name](new URL(request.url ?? '', 'http://exchange'));
    exchange.requests.push(window);
    if (exchange.instead?.(window, response)) return;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[name](window, exchange.prices)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  exchange.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  vi.stubEnv(settings[name], exchange.url);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return exchange;
}

const requestOf: Record<ExchangeName, (url: URL) => CandleRequest> = {
  coinbase({ pathname, searchParams }) {
    const stepMs = Number(searchParams.get('granularity')) * 1000;
    const from = Date.parse(searchParams.get('start') ?? '');
    const to = Date.parse(searchParams.get('end') ?? '') + 1000;
    return { market: decodeURIComponent(pathname.split('/')[2] ?? ''), stepMs, from, to };
  },
  binance({ searchParams }) {
    const stepMs = searchParams.get('interval') === '1d' ? 86_400_000 : 3_600_000;
    const [from, to] = [Number(searchParams.get('startTime')), Number(searchParams.get('endTime')) + 1];
    return { market: searchParams.get('symbol') ?? '', stepMs, from, to };
  },
};

function rowsOf({ market, stepMs, from, to }: CandleRequest, pricesAt: PricesAt) {
  const end = Math.min(to, Date.now());
  const times = Array.from(
    { length: Math.max(0, Math.ceil((end - from) / stepMs)) },
    (_, n) => from + n * stepMs,
  );
  return times.flatMap((time) => {
    const prices = pricesAt(market, time, stepMs);
    return prices ? [[time, ...prices] as const] : [];
  });
}

const answers: Record<ExchangeName, (window: CandleRequest, pricesAt: PricesAt) => unknown> = {
  coinbase: (window, pricesAt) =>
    rowsOf(window, pricesAt)
      .map(([time, open, high, low, close]) => [time / 1000, low, high, open, close, 7])
      .reverse(),
  binance: (window, pricesAt) =>
    rowsOf(window, pricesAt).map(([time, ...prices]) => [
      time,
      ...prices.map(String),
      '7',
      time + window.stepMs - 1,
      '7',
      3,
      '1',
      '1',
      '0',
    ]),
};
