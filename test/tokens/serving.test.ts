import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { route } from '../../functions/marketdata/ticker/route.ts';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { encodeTail, tailChanges } from '../../shared/marketdata/store/tail.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { call } from '../pipeline/event.ts';
import { NOW, TAIL, useTokenWorld } from './world.ts';

const world = useTokenWorld(['btc-bitcoin', 'tail-coin', '战旗-战旗', 'eth-ethereum']);
const none = Object.fromEntries(Object.keys(tailChanges).map((name) => [name, null]));

let provider: SimulatedSource;
let handler: LambdaHandler;
beforeEach(async () => {
  provider = (await startSimulated()).provider;
  vi.stubEnv('COINPAPRIKA_BASE_URL', provider.url);
});
afterEach(() => provider.close());

async function coldStart(): Promise<void> {
  ({ handler } = await import('../../functions/marketdata/ticker/handler.ts'));
}

function ticker(id: string) {
  return call(handler, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id } });
}

describe('the ticker of a coin of the tail', () => {
  beforeEach(async () => {
    vi.stubEnv('UPSTREAM_TIMEOUT_MS', '8000');
    vi.stubEnv('TICKER_FRESH_SECONDS', '60');
    world().putSnapshot(['btc-bitcoin']);
    putTail({ 'tail-coin': 2, '战旗-战旗': 3 });
    world().s3.requests.length = 0;
    await coldStart();
  });

  function putTail(prices: Readonly<Record<string, number>>, takenAt = NOW - MINUTE_MS) {
    const rows = Object.entries(prices).map(([id, price]) => {
      const changes = { ...none, percent_change_1h: 1.25 } as Record<keyof typeof tailChanges, number | null>;
      return { id, price, at: NOW - 2 * MINUTE_MS, takenAt, changes };
    });
    const bytes = encodeTail({ takenAt, intervalSeconds: 600, source: 'defillama', rows });
    world().s3.objects.set(TAIL, Buffer.from(bytes));
  }
  const damageEnd = (bytes: Buffer = Buffer.of()) => bytes.fill(7, bytes.length - 1);
  const reads = () => world().s3.requests.filter((request) => request === `GET ${TAIL}`).length;

  it('has the registry’s name, the tail’s price and changes, and null for other fields', async () => {
    const { status, headers, body } = await ticker('tail-coin');

    const { data } = body as { data: { quotes: { USD: object } } };
    expect(status).toBe(200);
    expect(compileResponse(route.response)(data)).toEqual([]);
    const known = { price: 2, percent_change_1h: 1.25 };
    const unknown = Object.keys(data.quotes.USD).filter((name) => !(name in known));
    expect(data).toEqual({
      id: 'tail-coin',
      name: 'Name of tail-coin',
      symbol: 'TAI',
      rank: 2,
      circulating_supply: null,
      total_supply: null,
      max_supply: null,
      beta_value: null,
      first_data_at: null,
      last_updated: '2026-09-18T04:10:00Z',
      quotes: { USD: { ...Object.fromEntries(unknown.map((name) => [name, null])), ...known } },
      sources: null,
    });
    expect(unknown).toHaveLength(16);
    expect(headers).toMatchObject({
      'x-data-source': 'defillama',
      'x-data-quality': 'exact',
      'x-data-time': '2026-09-18T04:10:00.000Z',
      'cache-control': publicFor(540),
    });
    expect(provider.calls.total).toBe(0);
  });

  it('is not read before a request needs it, nor for a coin of the snapshot', async () => {
    await ticker('btc-bitcoin');
    expect(reads()).toBe(0);
  });

  it('takes one read for all coins in each interval', async () => {
    await ticker('tail-coin');
    await ticker('tail-coin');
    await ticker('战旗-战旗');
    expect(reads()).toBe(1);
    putTail({ 'a-newcomer': 1, 'tail-coin': 4 }, NOW + 10 * MINUTE_MS);
    vi.setSystemTime(NOW + 12 * MINUTE_MS);
    const { body } = await ticker('tail-coin');
    expect(body).toMatchObject({ data: { quotes: { USD: { price: 4 } } } });
    await ticker('战旗-战旗');
    expect(reads()).toBe(2);
  });

  it('comes from the provider when it is two intervals old, and from the tail, stale, when that fails', async () => {
    vi.setSystemTime(NOW + 19 * MINUTE_MS - 1);
    expect((await ticker('战旗-战旗')).headers).toMatchObject({ 'x-data-source': 'defillama' });
    vi.setSystemTime(NOW + 19 * MINUTE_MS);
    expect((await ticker('战旗-战旗')).headers).toMatchObject({
      'x-data-source': 'simulated',
      'x-data-quality': 'exact',
    });
    provider.setFault('status=500');
    const { headers, body } = await ticker('tail-coin');
    expect(body).toMatchObject({ data: { quotes: { USD: { price: 2 } } } });
    expect(headers).toMatchObject({ 'x-data-source': 'defillama', 'x-data-quality': 'stale' });
    vi.setSystemTime(NOW + 19 * MINUTE_MS + 12 * HOUR_MS);
    expect((await ticker('tail-coin')).status).toBe(502);
  });

  it('comes from the tail, stale, if that is from the future: its age is unknown', async () => {
    putTail({ '战旗-战旗': 3 }, NOW + HOUR_MS);
    expect(await ticker('战旗-战旗')).toMatchObject({
      headers: { 'x-data-source': 'defillama', 'x-data-quality': 'stale' },
      body: { data: { quotes: { USD: { price: 3 } } } },
    });
    expect(provider.calls.total).toBe(0);
  });

  it.each([
    ['there is none', () => world().s3.objects.delete(TAIL)],
    ['it is damaged', () => world().s3.objects.set(TAIL, Buffer.from('damaged'))],
    ['the coin’s row is damaged', () => damageEnd(world().s3.objects.get(TAIL))],
    ['the store fails', () => Object.assign(world().s3, { failing: TAIL })],
    ['the store is silent', () => Object.assign(world().s3, { delayMs: 1_500 })],
    ['it has no such coin', () => putTail({ 'tail-coin': 3 })],
  ])('comes from the provider if %s', async (_what, spoil) => {
    await ticker('btc-bitcoin');
    spoil();
    expect(await ticker('战旗-战旗')).toMatchObject({
      status: 200,
      headers: { 'x-data-source': 'simulated' },
    });
    expect(provider.calls.total).toBe(1);
  });
});
