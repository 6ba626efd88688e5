import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { LocalServiceOptions } from '../../local/service.ts';
import { dataOf, expectFailure, type Service, startService } from './service.ts';

const TICKER = '/api/marketdata/ticker/btc-bitcoin';
const CANDLES = '/api/marketdata/ohlcv/btc-bitcoin';
let service: Service | undefined;

async function start(options: LocalServiceOptions): Promise<Service> {
  service = await startService(options);
  return service;
}

afterEach(() => service?.local.close());

describe.each([
  ['a container', {}],
  ['a container that is frozen between events', { freeze: true }],
] as const)('%s', { timeout: 60_000 }, (_name, options) => {
  it('asks upstream once for 100 equal requests at the same time', async () => {
    const { provider, get } = await start(options);

    const answers = await Promise.all(Array.from({ length: 100 }, () => get(TICKER)));

    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(provider.calls.total).toBe(1);
  });

  it('keeps answers apart by every parameter that changes them, and asks for a coin’s days once', async () => {
    const { provider, get } = await start({ ...options, provider: { simulated: { plan: 'paid' } } });
    const queries = [
      'limit=2',
      'limit=3',
      'limit=2&quote=btc',
      'limit=2&interval=1h',
      'limit=2&end=2026-01-31',
    ];

    const first = [];
    for (const query of queries) first.push(dataOf(await get(`${CANDLES}?${query}`)));
    const again = [];
    for (const query of queries) again.push(dataOf(await get(`${CANDLES}?${query}`)));

    expect(again).toEqual(first);
    expect(new Set(first.map((data) => JSON.stringify(data))).size).toBe(queries.length);
    expect(provider.calls.total).toBe(2); // days, hours; those in bitcoin are divided here
  });

  it('remembers for a minute that the provider does not know a coin', async () => {
    const { provider, get } = await start(options);
    // The registry holds 56,000 coins, this provider only the first few hundred of them.
    const { results } = dataOf<{ results: { id: string }[] }>(await get('/api/marketdata/coins?limit=500'));
    const id = results.at(-1)?.id ?? '';

    for (let n = 0; n < 3; n += 1) {
      const answer = await get(`/api/marketdata/ticker/${encodeURIComponent(id)}`);
      expectFailure(answer, 404, `Unknown coin id: ${id}`);
    }

    expect(provider.calls.total).toBe(1);
  });

  it('does not ask the provider for an id that the registry does not hold', async () => {
    const { provider, get } = await start(options);

    const hint = 'Unknown coin id: bitcoin. Did you mean btc-bitcoin?';
    expectFailure(await get('/api/marketdata/ticker/bitcoin'), 404, hint);
    expectFailure(await get('/api/marketdata/ohlcv/bitcoin'), 404, hint);

    expect(provider.calls.total).toBe(0);
  });

  it('does not remember a failure', async () => {
    const { provider, get } = await start(options);
    provider.setFault('status=500x1');

    expectFailure(await get(TICKER), 502, 'CoinPaprika answered 500: Internal Server Error');
    expect(dataOf(await get(TICKER))).toMatchObject({ id: 'btc-bitcoin' });
  });

  it('replaces a connection that died meanwhile, without an error to the caller', async () => {
    const { provider, get } = await start(options);
    await get(TICKER);

    provider.dropConnections();
    await sleep(50);

    expect((await get('/api/marketdata/ticker/eth-ethereum')).status).toBe(200);
  });

  it('tells when the data was made, not when it was fetched, and leaves Age to caches', async () => {
    const { get } = await start(options);

    const answer = await get(TICKER);

    const { last_updated } = dataOf<{ last_updated: string }>(answer);
    expect(answer.headers['x-data-time']).toBe(new Date(last_updated).toISOString());
    expect(answer.headers).not.toHaveProperty('age');
  });
});
