import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { call } from '../pipeline/event.ts';
import { startStubbedS3 } from '../s3.ts';
import { NOW, snapshotOf, tickerOf } from './tickers.ts';

describe('the ticker function in production, with a snapshot', () => {
  let s3: S3Server;
  let provider: SimulatedSource;
  let handler: LambdaHandler | undefined;
  let takeMetrics: typeof import('../../shared/platform/metrics.ts').takeMetrics;

  beforeEach(async () => {
    s3 = await startStubbedS3();
    provider = (await startSimulated({ now: () => Date.now() })).provider;
    const environment = {
      NODE_ENV: 'production',
      METRICS: 'off', // the test would print them
      CLIENT_API_KEY: 'key',
      COINPAPRIKA_BASE_URL: provider.url,
      SNAPSHOT_BUCKET: 'bucket',
      TICKER_FRESH_SECONDS: '1',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    vi.resetModules();
    handler = undefined;
    ({ takeMetrics } = await import('../../shared/platform/metrics.ts'));
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await Promise.all([s3.close(), provider.close()]);
  });

  const publish = (ageSeconds: number, price = 1) => {
    const takenAt = Date.now() - ageSeconds * 1000;
    const tickers = [tickerOf('btc-bitcoin', price, takenAt)];
    s3.objects.set('/bucket/snapshot/tickers.v4', Buffer.from(snapshotOf([], { tickers, takenAt })));
  };
  /** What the provider says of Bitcoin. */
  const simulatedTicker = async () =>
    (await (await fetch(`${provider.url}/tickers/btc-bitcoin`)).json()) as { readonly quotes: unknown };
  /** The first request is a cold start, with what is published by then. */
  async function ask() {
    handler ??= (await import('../../functions/marketdata/ticker/handler.ts')).handler;
    return call(handler, {
      path: '/api/marketdata/ticker/btc-bitcoin',
      pathParameters: { id: 'btc-bitcoin' },
      headers: { 'x-api-key': 'key' },
    });
  }
  /** The counts so far of the snapshot and of what the containers share. */
  const counted = () =>
    Object.fromEntries(
      Object.entries(JSON.parse(takeMetrics('n') ?? '{}')).filter(
        ([name, value]) => /^(Snapshot|Shared)/.test(name) && typeof value === 'number',
      ),
    );

  it('counts a new snapshot once for all requests', async () => {
    publish(60);
    expect(await ask()).toMatchObject({ status: 200, headers: { 'x-data-quality': 'exact' } });
    await ask();

    expect(counted()).toEqual({ SnapshotRefreshed: 1 });
    expect(provider.calls.total).toBe(0);
  });

  it('does not keep a ticker of the snapshot waiting for a table that does not answer', async () => {
    // Not even after a while: a caller that waits for it waits for ever.
    const silent = () => new Promise<never>(() => {});
    const guard = '../../shared/coordination/guarded-table.ts';
    vi.doMock(guard, () => ({ guardedTable: () => ({ get: silent, update: silent }) }));
    onTestFinished(() => {
      vi.doUnmock(guard);
      vi.resetModules(); // those that use it
    });
    vi.stubEnv('SHARED_TABLE', 'table');
    publish(60);
    expect(await ask()).toMatchObject({ status: 200, headers: { 'x-data-quality': 'exact' } });
  });

  it('counts requests with an outdated snapshot, and prefers the newer of two stale tickers', async () => {
    const { price } = ((await simulatedTicker()).quotes as { USD: { price: number } }).USD;
    publish(1300, price);
    const exact = await ask();
    vi.setSystemTime(Date.now() + 2000);
    provider.setFault('status=500');
    const stale = await ask();

    expect(exact.headers).toMatchObject({ 'x-data-quality': 'exact' });
    expect(stale).toMatchObject({ headers: { 'x-data-quality': 'stale' }, body: exact.body });
    expect(counted()).toEqual({ SnapshotRefreshed: 1, SnapshotOutdated: 2 });
  });
});
