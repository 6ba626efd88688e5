/** The provider of the simulation: counts what it is asked, and fails when told to. */
import { isoSeconds } from '../../shared/marketdata/candles.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import {
  type HttpAnswer,
  type Transport,
  TransportError,
  type TransportOptions,
} from '../../shared/platform/transport.ts';
import { platforms, tokenOf } from './tokens.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { priceAt, pricesBetween, volumeOf } from './walk.ts';
import { coinId, LISTED, rankOf, symbolOf } from './workload.ts';

/** The free plan makes new tickers every ten minutes. */
const INTERVAL_MS = 600_000;

/** The trouble at a moment: nothing, no answer at all, errors at once, too many requests. */
export type Trouble = 'none' | 'silence' | 'errors' | '429';

export interface CountingProvider {
  readonly calls: { total: number };
  connect(options: TransportOptions): Transport;
}

/** Coins from rank `active` on are no longer traded: they have no prices. */
export function countingProvider(
  clock: VirtualClock,
  random: () => number,
  troubleAt: (now: number) => Trouble,
  active: number,
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
        return (await take(timeoutMs)) ?? proper(path, clock.now(), active);
      },
    }),
  };
}

/** When the tickers that the provider has at a moment were made. */
function madeAt(now: number): number {
  return Math.floor(now / INTERVAL_MS) * INTERVAL_MS;
}

/** As on the free plan: tickers, price history, and no candles but the last day's. */
function proper(path: string, now: number, active: number): HttpAnswer {
  const url = new URL(path, 'http://provider');
  const [, kind = '', id = '', rest] = url.pathname.split('/');
  if (kind === 'contracts') return answer(200, id === '' ? platforms : contractsOn(id, active));
  if (id !== '' && !(rankOf(id) < active)) return answer(404, { error: 'id not found' });
  if (kind === 'tickers' && id === '') return answer(200, listOf(now));
  if (kind === 'tickers' && rest === undefined) return answer(200, tickerOf(id, now));
  const from = Date.parse(url.searchParams.get('start') ?? '');
  const stepMs = /^1h$/.test(url.searchParams.get('interval') ?? '') ? DAY_MS / 24 : DAY_MS;
  const opens = Array.from(
    { length: Math.max(0, Math.ceil((now - from) / stepMs)) },
    (_, row) => from + row * stepMs,
  );
  if (kind === 'coins') {
    const since = `${isoSeconds(now - DAY_MS)
      .replace('T', ' ')
      .replace('Z', '')} +0000 UTC`;
    if (from < now - DAY_MS) {
      const error = `Getting historical OHLCV data before ${since} is not allowed in this plan`;
      return answer(402, { error });
    }
    return answer(
      200,
      opens.map((time) => ({
        time_open: isoSeconds(time),
        time_close: isoSeconds(Math.min(time + stepMs - 1000, now)),
        ...pricesBetween(rankOf(id), time, Math.min(time + stepMs, now)),
        ...amountsOf(rankOf(id)),
      })),
    );
  }
  const { volume: volume_24h, market_cap } = amountsOf(rankOf(id));
  return answer(
    200,
    opens.map((time) => ({
      timestamp: isoSeconds(time),
      price: priceAt(rankOf(id), time),
      volume_24h,
      market_cap,
    })),
  );
}

function amountsOf(coin: number) {
  return { volume: volumeOf(coin), market_cap: 20 * volumeOf(coin) };
}

function listOf(now: number) {
  return Array.from({ length: LISTED }, (_, coin) => tickerOf(coinId(coin), now));
}

function tickerOf(id: string, now: number) {
  const coin = rankOf(id);
  const { volume: volume_24h, market_cap } = amountsOf(coin);
  const USD = { price: priceAt(coin, madeAt(now)), volume_24h, market_cap };
  const labels = { id, name: id, symbol: symbolOf(coin), rank: coin + 1 };
  return { ...labels, last_updated: isoSeconds(madeAt(now)), quotes: { USD } };
}

function contractsOn(platform: string, active: number) {
  return Array.from({ length: active }, (_, coin) => tokenOf(coin)).flatMap((token) =>
    token?.platform === platform ? [{ id: token.coinId, address: token.address, active: true }] : [],
  );
}

function answer(status: number, json: unknown): HttpAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, body: Buffer.from(JSON.stringify(json)) };
}
