/** Tickers of a container that is frozen between requests, as on AWS, and of several that share a snapshot. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { encodeSnapshot } from '../../shared/marketdata/store/snapshot-writer.ts';
import { readTicker, type Ticker } from '../../shared/marketdata/ticker.ts';
import { type Clock, clockAt } from './clock.ts';
import { ageOf, dataOf, type Service, startService } from './service.ts';

const OBJECT = '/local/snapshot/tickers.v4';
const UPSTREAM_TIMEOUT_MS = 3_000;
/** The limit of one attempt to read the snapshot. */
const READ_MS = 2_000;

let clock: Clock;
let service: Service;
const ticker = (id: string) => service.get(`/api/marketdata/ticker/${encodeURIComponent(id)}`);

describe('a container that is frozen between events', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    clock = clockAt(Date.now());
    const env = { TICKER_FRESH_SECONDS: '1', UPSTREAM_TIMEOUT_MS: String(UPSTREAM_TIMEOUT_MS) };
    service = await startService({ freeze: true, execArgv: clock.execArgv, env });
  });
  afterAll(async () => {
    await service.local.close();
    clock.close();
  });

  it('makes one request upstream for 100 equal requests at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => ticker('btc-bitcoin')));

    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect(service.provider.calls.total).toBe(1);
    clock.moveBy(60_000); // they are the limit of a minute
  });

  it('replaces a connection that has died meanwhile, without an error to the caller', async () => {
    service.provider.dropConnections();

    expect((await ticker('eth-ethereum')).status).toBe(200);
  });

  it('waits a moment for a provider that hangs, then serves the old ticker as stale, and later a new one', async () => {
    const first = dataOf(await ticker('btc-bitcoin'));
    clock.moveBy(1100);
    service.provider.setFault('hang');

    const sentAt = performance.now();
    const stale = await ticker('btc-bitcoin');

    expect(performance.now() - sentAt).toBeLessThan(UPSTREAM_TIMEOUT_MS);
    expect(dataOf(stale)).toEqual(first);
    expect(stale.headers['x-data-quality']).toBe('stale');
    expect(ageOf(stale)).toBeGreaterThanOrEqual(1);
    service.provider.setFault(null);
    const quality = async () => (await ticker('btc-bitcoin')).headers['x-data-quality'];
    await expect.poll(quality, { interval: 500 }).toBe('exact');
  });
});

describe('three containers with a snapshot, frozen between events', { timeout: 60_000 }, () => {
  const coins = simulatedEntries();
  const byRank = coins
    .filter(({ is_active, rank }) => is_active && rank > 0)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ id }) => id);
  beforeAll(async () => {
    clock = clockAt(Date.now());
    service = await startService({
      ...{ containers: 3, freeze: true, execArgv: clock.execArgv },
      ...{ store: true, provider: { simulated: { coins } } },
    });
  });
  afterAll(async () => {
    await service.local.close();
    clock.close();
  });

  it('make no request upstream, except one for a coin that the snapshot lacks', async () => {
    const { provider } = service;
    expect(provider.calls.byPath).toEqual({ '/tickers': 1 });

    const known = byRank.slice(0, 90);
    const answers = await Promise.all(known.map((id) => ticker(id)));
    expect(answers.map((answer) => dataOf(answer).id)).toEqual(known);
    expect(provider.calls.total).toBe(1);
    expect(answers[0]?.headers['cache-control']).toMatch(/^public, max-age=(600|5\d\d),/);

    const small = byRank[2500] ?? '';
    expect(dataOf(await ticker(small)).id).toBe(small);
    expect(provider.calls.byPath).toEqual({
      '/tickers': 1,
      [`/tickers/${encodeURIComponent(small)}`]: 1,
    });
  });

  it('serve a newer snapshot with the second request, if a download takes longer than a request waits', async () => {
    const takenAt = Date.now() + 600_000;
    const row = { id: 'btc-bitcoin', name: 'Bitcoin', symbol: 'BTC', quotes: { USD: { price: 200 } } };
    const tickers = [readTicker({ ...row, last_updated: new Date(takenAt).toISOString() })];
    const bytes = encodeSnapshot({ tickers, takenAt, intervalSeconds: 600, source: 'simulated' });
    const { store } = service.local;
    store?.s3.objects.set(OBJECT, Buffer.from(bytes));
    if (store) store.s3.contentDelayMs = 1_200;
    clock.moveBy(660_000);
    const calls = service.provider.calls.total;

    const price = async () => dataOf<Ticker>(await ticker('btc-bitcoin')).quotes.USD.price;
    expect(await price()).not.toBe(200);
    await sleep(READ_MS + 500);
    expect(await price()).toBe(200);
    expect(service.provider.calls.total).toBe(calls);
  });
});
