/** The provider of the simulation: counts what it is asked, and fails when told to. */
import { isoSeconds } from '../../shared/marketdata/candles.ts';
import {
  type HttpAnswer,
  type Transport,
  TransportError,
  type TransportOptions,
} from '../../shared/platform/transport.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { coinId } from './workload.ts';

const DAY_MS = 86_400_000;
/** The free plan makes new tickers every ten minutes. */
const INTERVAL_MS = 600_000;

/** The trouble at a moment: nothing, no answer at all, errors at once, too many requests. */
export type Trouble = 'none' | 'silence' | 'errors' | '429';

export interface CountingProvider {
  readonly calls: { total: number };
  connect(options: TransportOptions): Transport;
}

export function countingProvider(
  clock: VirtualClock,
  random: () => number,
  troubleAt: (now: number) => Trouble,
): CountingProvider {
  const calls = { total: 0 };

  async function take(timeoutMs: number): Promise<HttpAnswer | undefined> {
    calls.total += 1;
    const trouble = troubleAt(clock.now());
    if (trouble === 'silence') {
      await clock.sleep(timeoutMs);
      throw new TransportError('timeout', `no answer within ${timeoutMs / 1000} s`);
    }
    await clock.sleep(80 + 120 * random());
    if (trouble === 'errors') return answer(503, { error: 'Service Unavailable' });
    if (trouble === '429') return answer(429, { error: 'Too many requests' });
    return undefined;
  }

  return {
    calls,
    connect: () => ({
      async get(path, timeoutMs) {
        return (await take(timeoutMs)) ?? proper(path, clock.now());
      },
    }),
  };
}

/** When the tickers that the provider has at a moment were made. */
function madeAt(now: number): number {
  return Math.floor(now / INTERVAL_MS) * INTERVAL_MS;
}

/** As on the free plan: tickers, price history, and no candles but the last day's. */
function proper(path: string, now: number): HttpAnswer {
  const url = new URL(path, 'http://provider');
  const [, kind = '', id = '', rest] = url.pathname.split('/');
  if (id.startsWith('no-')) return answer(404, { error: 'id not found' });
  if (kind === 'tickers' && id === '') return answer(200, listOf(now));
  if (kind === 'tickers' && rest === undefined) return answer(200, tickerOf(id, now));
  if (kind === 'coins') {
    const since = `${isoSeconds(now - DAY_MS)
      .replace('T', ' ')
      .replace('Z', '')} +0000 UTC`;
    if (Date.parse(url.searchParams.get('start') ?? '') < now - DAY_MS) {
      const error = `Getting historical OHLCV data before ${since} is not allowed in this plan`;
      return answer(402, { error });
    }
    return answer(200, []);
  }
  const start = Date.parse(url.searchParams.get('start') ?? '');
  return answer(
    200,
    [start, start + DAY_MS].map((time) => ({ timestamp: isoSeconds(time), price: 1 })),
  );
}

/** The free plan lists so many tickers in one answer. */
function listOf(now: number) {
  return Array.from({ length: 2_000 }, (_, coin) => tickerOf(coinId(coin), now));
}

function tickerOf(id: string, now: number) {
  const USD = { price: 1, volume_24h: 1, market_cap: 1 };
  return { id, name: id, symbol: 'C', rank: 1, last_updated: isoSeconds(madeAt(now)), quotes: { USD } };
}

function answer(status: number, json: unknown): HttpAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Buffer.from(JSON.stringify(json)) };
}
