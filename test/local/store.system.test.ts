import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalService } from '../../local/service.ts';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { clockAt } from '../contract/clock.ts';
import { serveFixture } from './fixture.ts';

const coins = simulatedEntries(500);
const HOUR_MS = 3_600_000;

interface Candle {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly quality: string;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'marketdata-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The real template, as `npm start -- --lambda` serves it, in the middle of an hour: at its end the next candles begin. */
async function start(folder: string) {
  const clock = clockAt(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 33 * 60_000);
  onTestFinished(clock.close);
  const service = await startLocalService({
    execArgv: clock.execArgv,
    quiet: true,
    freeze: true,
    provider: { mode: 'simulated', simulated: { coins } },
    store: { folder, history: true },
  });
  onTestFinished(() => service.close());
  const { store, provider } = service;
  if (!store || !provider.simulated) throw new Error('these tests need the store and the simulated provider');
  return { ...service, s3: `${store.s3.url}/${store.bucket}`, calls: provider.simulated.provider.calls };
}

/** A function that uses the store. */
const storing = { routes: { $default: 'A' }, functions: { A: { environment: { HISTORY_BUCKET: '' } } } };

const put = (url: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'PUT', body, headers });

test('a simulated start reads exact candles and weeks from its store, and a restart keeps the store', {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const before = await start(folder);
  let limit = 0;
  const qualityOfOther = async () => {
    limit += 1; // each response is cached
    const { headers } = await fetch(`${before.url}/api/marketdata/ohlcv/eth-ethereum?limit=${limit}`);
    return headers.get('x-data-quality');
  };
  // On a busy machine a new process may be too late for the store, and fetches from the provider.
  await expect.poll(qualityOfOther, { interval: 1000, timeout: 60_000 }).toBe('exact');
  expect(before.calls.byPath['/tickers']).toBe(1);
  before.calls.reset();
  for (const interval of ['24h', '1h', '7d']) {
    const path = `ohlcv/btc-bitcoin?provenance=true&interval=${interval}&limit=30`;
    const response = await fetch(`${before.url}/api/marketdata/${path}`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-data-quality': 'exact',
      'x-data-source': 'simulated',
    });
    const { data } = (await response.json()) as { data: { data: Candle[] } };
    // The running candle too.
    expect(data.data.map(({ quality }) => quality)).toEqual(Array(30).fill('exact'));
    const hasWick = ({ open, high, low, close }: Candle) =>
      high > Math.max(open, close) || low < Math.min(open, close);
    expect(data.data.filter(hasWick).length).toBeGreaterThan(20);
  }
  let coins: readonly { readonly id: string; readonly prices: readonly number[] }[] = [];
  const weeks = async () => {
    const response = await fetch(`${before.url}/api/marketdata/sparklines`);
    ({ coins } = ((await response.json()) as { data: { coins: typeof coins } }).data);
    return coins.map(({ prices }) => prices.filter(Number.isFinite).length);
  };
  // A part of the store that was too late on a busy machine is missing for ten seconds.
  await expect.poll(weeks, { interval: 1000, timeout: 60_000 }).toEqual(Array(20).fill(43));
  expect(coins.map(({ id }) => id).slice(0, 2)).toEqual(['btc-bitcoin', 'eth-ethereum']);
  // A job of the token sources reads the lists of contracts.
  const paths = Object.keys(before.calls.byPath).filter((path) => !path.startsWith('/contracts'));
  expect(paths).toEqual([]);

  const { etag } = Object.fromEntries((await put(`${before.s3}/history/past.v1`, '{}')).headers);
  const name = objectNames.series('24h', 'btc-bitcoin', Date.now());
  const days = await fetch(`${before.s3}/history/${name}`);
  expect(days.status).toBe(200);
  await before.close();

  const after = await start(folder);
  const note = await fetch(`${after.s3}/history/past.v1`);
  expect([await note.text(), note.headers.get('etag')]).toEqual(['{}', etag]);
  const again = await fetch(`${after.s3}/history/${name}`, {
    headers: { 'if-none-match': days.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
  expect((await fetch(`${after.s3}/snapshot/tickers.v4`)).status).toBe(200);
  expect((await fetch(`${after.url}/api/marketdata/ticker/btc-bitcoin`)).status).toBe(200);
  expect(after.calls.byPath['/tickers']).toBeUndefined();
  expect(readdirSync(folder)).toContain('simulated');
});

test('a service without a function that uses the store has none', async () => {
  const { store } = await serveFixture({ routes: { $default: 'A' }, functions: { A: {} } }, { store: true });
  expect(store).toBeUndefined();
});

test('a store has one service at a time', async () => {
  const folder = temporaryFolder();
  const first = await serveFixture(storing, { store: { folder } });
  // Prices of a named provider have a folder of their own.
  expect(readdirSync(folder)).toContain('given-127.0.0.1%3A9');

  const inUse = `Another server uses ${folder}: stop it, or give this one another folder`;
  await expect(serveFixture(storing, { store: { folder } })).rejects.toThrow(inUse);
  await first.close();

  const { store } = await serveFixture(storing, { store: { folder } });
  expect(store?.folder).toBe(join(folder, 'given-127.0.0.1%3A9'));
});

test('of services that start at once on a store, one gets it', async () => {
  const folder = temporaryFolder();
  const starting = [1, 2, 3].map(() => serveFixture(storing, { store: { folder } }));
  const outcomes = await Promise.allSettled(starting);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
});
