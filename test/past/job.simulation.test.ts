import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sourcesStore } from '../../shared/marketdata/sources/source-map.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { startExchange } from '../history/exchanges.ts';
import { exactCandle, putDays } from '../history/stored.ts';
import { coinsOf, NOON, runJob, startWorld, TODAY, type World } from './world.ts';

let world: World;
async function start(options: Parameters<typeof startWorld>[0] = {}): Promise<World> {
  world = await startWorld(options);
  return world;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
});
afterEach(async () => {
  vi.useRealTimers();
  await world.close();
});

const nothingDone = { stored: 0, nothing: 0, found: 0, failed: 0 };

describe('the provider’s part of a run', () => {
  it('stores a year of every active coin, with its source, up to the last closed day', async () => {
    const { daily } = await start({ unknown: ['never-heard-of'] });

    expect(await runJob()).toEqual({ ...nothingDone, stored: 4, nothing: 1, left: 0 });

    const series = await daily('coin-1');
    expect(series?.coverage).toEqual({ from: TODAY - 364 * DAY_MS, to: TODAY });
    expect(series?.candles).toHaveLength(364);
    expect(series?.candles.at(-1)).toMatchObject({
      opensAt: TODAY - DAY_MS,
      lastAt: TODAY,
      quality: 'derived',
      samples: 0,
      source: 'simulated',
    });
    expect(await counted()).toMatchObject({ HistoryCoinsLeft: [0] });
  });

  it('stores the provider’s own candles if the plan has them', async () => {
    const { daily } = await start({ plan: 'paid' });
    await runJob();
    expect((await daily('coin-1'))?.candles).toHaveLength(365);
    expect((await daily('coin-1'))?.candles[0]).toMatchObject({ quality: 'exact', samples: 0 });
  });

  it('fetches each coin once: first the sampled coins, then the prices of the others', async () => {
    const { sampleCoins, asked, provider } = await start({ plan: 'paid' });
    sampleCoins('coin-3', 'coin-4');
    await runJob();
    // Two at a time, and either may be first.
    expect(asked().slice(0, 2).sort()).toEqual(['coin-3', 'coin-4']);
    expect(asked().slice(2).sort()).toEqual(['coin-1', 'coin-2']);
    const tickers = Object.keys(provider.calls.byPath).flatMap(
      (path) => /tickers\/([^/]+)$/.exec(path)?.[1] ?? [],
    );
    expect(tickers.sort()).toEqual(['coin-1', 'coin-2']);
    expect(provider.calls.total).toBe(6);
  });

  it('stores no history that is far from the coin’s price', async () => {
    const { sampleCoins, daily, provider } = await start({ plan: 'paid' });
    sampleCoins('coin-1');
    provider.setFault('lie=scaled@/ohlcv/');
    expect(await runJob()).toMatchObject({ stored: 0 });
    for (const id of ['coin-1', 'coin-2', 'coin-3']) expect((await daily(id)).candles).toEqual([]);
  });

  it('stores nothing of a coin without a known price', async () => {
    const { daily, provider } = await start({ plan: 'paid' });
    provider.setFault('lie=noprice@/tickers/');
    expect(await runJob()).toEqual({ ...nothingDone, nothing: 4, left: 0 });
    expect((await daily('coin-1')).candles).toEqual([]);
  });

  it('fetches the volumes of coins that exchanges trade last, and keeps their candles', async () => {
    const { sampleCoins, asked, daily, provider, s3 } = await start();
    sampleCoins('coin-1', 'coin-2', 'coin-3', 'coin-4');
    await startExchange('coinbase', () => undefined);
    const market = { exchange: 'coinbase', market: 'C1-USD', quote: 'USD', since: TODAY } as const;
    const map = { coins: new Map([['coin-1', [market]]]), at: TODAY };
    await sourcesStore('bucket').putMap({ ...map, state: { takenAt: null, exchanges: [] } }, undefined);
    const days = Array.from({ length: 730 }, (_, day) => TODAY - (730 - day) * DAY_MS);
    const candles = days.map((opensAt) => exactCandle(opensAt, DAY_MS, 1, { close: 1.1 }));
    const span = { from: days[0] ?? 0, to: TODAY };
    putDays(s3, 'coin-1', candles, span);

    expect(await runJob()).toEqual({ ...nothingDone, stored: 4, left: 0 });
    expect(asked().at(-1)).toBe('coin-1');
    const stored = (await daily('coin-1'))?.candles ?? [];
    expect(stored.map(({ quality, close }) => [quality, close])).toEqual(Array(730).fill(['exact', 1.1]));
    expect(stored.filter(({ volume }) => volume !== null)).toHaveLength(364);

    const before = provider.calls.total;
    s3.objects.delete('/bucket/history/past.v2');
    expect(await runJob()).toEqual({ ...nothingDone, found: 4, left: 0 });
    expect(provider.calls.total).toBe(before);
  });

  it('leaves out a day that closed less than ten minutes ago', async () => {
    const { daily } = await start({ plan: 'paid' });
    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '999999999'); // of the usual one little is left over so early in the day
    vi.setSystemTime(TODAY + DAY_MS + 9 * 60_000);
    await runJob();
    expect((await daily('coin-1'))?.coverage?.to).toBe(TODAY);
    expect((await daily('coin-1'))?.candles.at(-1)?.opensAt).toBe(TODAY - DAY_MS);
  });

  it('takes few reads, and no upstream request, if nothing is due', async () => {
    const { s3, provider } = await start({ unknown: ['never-heard-of'] });
    await runJob();
    s3.requests.length = 0;
    provider.calls.reset();
    expect(await runJob()).toEqual({ ...nothingDone, left: 0 });
    expect(provider.calls.total).toBe(0);
    expect(s3.requests.sort()).toEqual([
      'GET /bucket/history/past.v2',
      'GET /bucket/snapshot/tail.v2',
      'GET /bucket/snapshot/tickers.v4',
      'GET /bucket/sources/contracts.v1',
      'GET /bucket/sources/map.v3',
    ]);
  });

  it('fetches the gaps of coins without samples a day later, and no past of the others', async () => {
    const { sampleCoins, asked, daily, provider } = await start({ plan: 'paid' });
    sampleCoins('coin-2');
    await runJob();
    provider.calls.reset();
    vi.setSystemTime(NOON + DAY_MS);
    sampleCoins('coin-2');

    await runJob();
    expect(asked().sort()).toEqual(['coin-1', 'coin-3', 'coin-4']);
    expect((await daily('coin-1'))?.coverage).toEqual({ from: TODAY - 365 * DAY_MS, to: TODAY + DAY_MS });
    expect((await daily('coin-1'))?.candles).toHaveLength(366);
  });

  it('goes on without a registry, with the sampled coins', async () => {
    const { sampleCoins, asked } = await start();
    vi.stubEnv('REGISTRY_PATH', '/nowhere');
    sampleCoins('coin-2');
    expect(await runJob()).toMatchObject({ stored: 1 });
    expect(asked()).toEqual(['coin-2']);
    expect(await counted()).toMatchObject({ RegistryUnavailable: 1 });
    expect(await counted()).not.toHaveProperty('HistoryCoinsLeft');
  });

  it('fails without a bucket, and names the missing setting', async () => {
    await start();
    vi.stubEnv('HISTORY_BUCKET', undefined);
    await expect(runJob()).rejects.toThrow('Environment variable HISTORY_BUCKET is not set');
  });
});

describe('a budget', () => {
  it('of nothing ends a run without upstream requests', async () => {
    const { provider } = await start();
    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '30');

    expect(await runJob()).toEqual({
      ...nothingDone,
      left: 4,
      stopped: expect.stringMatching(/^Rate limit exceeded: the service's upstream budget/),
    });
    expect(provider.calls.total).toBe(0);
  });

  it('is used, and not exceeded', async () => {
    const { provider } = await start({ coins: coinsOf(40), plan: 'paid' });
    // Two requests for each coin without samples. 40 a day: by noon half of four fifths are left over.
    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '1240');

    const { stored, left, stopped } = await runJob();
    expect(provider.calls.total).toBe(16);
    // The last two requests are of one coin, or each is half of a coin's.
    expect([7, 8]).toContain(stored);
    expect({ left, stopped }).toEqual({ left: 40 - stored, stopped: expect.any(String) });
  });
});

describe('a provider', () => {
  it('that fails gets no more requests after three failures', async () => {
    const { provider, note } = await start({ coins: coinsOf(9) });
    provider.setFault('status=500');

    const { failed, stopped, left } = await runJob();
    expect([3, 4]).toContain(failed); // two at a time
    expect({ stopped, left }).toEqual({ stopped: expect.stringContaining('CoinPaprika'), left: 9 });
    expect(note().size).toBe(failed);

    provider.setFault(null);
    vi.setSystemTime(NOON + 3_600_000);
    expect(await runJob()).toMatchObject({ stored: 9 - failed, left: failed });
    vi.setSystemTime(NOON + 7 * 3_600_000);
    expect(await runJob()).toMatchObject({ stored: failed, left: 0 });
  });

  it('that fails for one coin does not delay the others', async () => {
    const { provider } = await start({ coins: coinsOf(9), plan: 'paid' });
    provider.setFault('garbage@/coin-1/');
    expect(await runJob()).toMatchObject({ stored: 8, failed: 1, left: 1 });
  });

  it('that refuses candles receives requests for prices, and at most two that it refuses', async () => {
    const { provider } = await start({ coins: coinsOf(9) });
    await runJob();
    const paths = Object.keys(provider.calls.byPath);
    expect(paths.filter((path) => path.includes('/ohlcv/')).length).toBeLessThanOrEqual(4);
    expect(paths.filter((path) => path.includes('/historical?') && path.includes('/tickers/')).length).toBe(
      9,
    );
  });

  it('that refuses candles and prices gets no more requests', async () => {
    const { provider } = await start({ coins: coinsOf(9) });
    provider.setFault('status=402');
    const { stopped, stored } = await runJob();
    expect({ stopped: stopped !== undefined, stored }).toEqual({ stopped: true, stored: 0 });
    expect(provider.calls.total).toBeLessThanOrEqual(8);
  });
});

describe('the note', () => {
  it('that is damaged is rebuilt from the store without requests', async () => {
    const { put, provider, note } = await start();
    await runJob();
    const before = note();
    provider.calls.reset();
    put('past.v2', '{"version":1,"coins":');

    expect(await runJob()).toEqual({ ...nothingDone, found: 4, left: 0 });
    expect(provider.calls.total).toBe(0);
    expect(note()).toEqual(before);
  });
});
