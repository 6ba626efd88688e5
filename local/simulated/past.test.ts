import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCandles } from '../../shared/marketdata/store/candle-files.ts';
import { encodeCandles } from '../../shared/marketdata/store/candle-files-writer.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { historyReader } from '../../shared/marketdata/store/reader.ts';
import { joinSeries } from '../../shared/marketdata/store/series-writer.ts';
import { SourceList } from '../../shared/marketdata/store/source-list.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS } from '../../shared/platform/time.ts';
import { storedAmong, storedIn } from '../../test/history/read.ts';
import { ObjectFolder, type StoredObjects } from '../object-folder.ts';
import { type S3Server, serveObjects } from '../s3.ts';
import { ask } from './asking.testing.ts';
import { createSimulated, type Simulated } from './index.ts';
import { type SeededStore, seedStore } from './past.ts';

const TODAY = Date.UTC(2026, 10, 22);
const BITCOIN = 'btc-bitcoin';
const OLD = 'old-old';
const GONE = 'ftm-fantom';
const DAILY = `/local/history/${objectNames.series('24h', BITCOIN, TODAY)}`;
const ROLLED_UP = '/local/history/rolled-up.v3';

describe('the past of a simulated market', () => {
  let now: number;
  let folder: string;
  let simulated: Simulated;
  let objects: StoredObjects;
  let s3: S3Server<SeededStore>;

  beforeEach(async () => {
    now = TODAY + 7.5 * HOUR_MS;
    folder = mkdtempSync(join(tmpdir(), 'marketdata-seed-'));
    objects = new ObjectFolder(folder);
    const coin = { id: BITCOIN, name: 'Bitcoin', symbol: 'BTC', rank: 1, type: 'coin' } as const;
    const old = { ...coin, id: OLD, name: 'Old', symbol: 'OLD', rank: 0, is_active: false } as const;
    const gone = { ...old, id: GONE, name: 'Fantom', symbol: 'FTM' } as const;
    simulated = createSimulated({ now: () => now, coins: [coin, old, gone] });
    s3 = await serveObjects(seeded());
    vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const seeded = () => seedStore(objects, 'local', simulated);
  const reader = () => storedIn('local');
  const signal = () => AbortSignal.timeout(15_000);
  const hasWicks = (candles: readonly StoredCandle[]) =>
    candles.some(({ open, close, high, low }) => high > Math.max(open, close) && low < Math.min(open, close));
  const hoursOf = (day: number) => reader().hoursOn(day, BITCOIN);

  it('has a year of days with wicks, from all samples, up to yesterday', async () => {
    const days = await reader().daily(BITCOIN);
    expect(days.candles).toHaveLength(365);
    expect(days.coverage).toEqual({ from: TODAY - 365 * DAY_MS, to: TODAY });
    expect(days.candles.at(-1)).toMatchObject({
      opensAt: TODAY - DAY_MS,
      lastAt: TODAY - 600_000,
      quality: 'sampled',
      samples: 144,
      source: 'simulated',
    });
    expect(hasWicks(days.candles)).toBe(true);
  });

  it('has hours with wicks for the months of a year and the day so far', async () => {
    const month = await reader().hourly(BITCOIN, TODAY);
    expect(month.candles).toHaveLength(21 * 24);
    expect(month.coverage).toEqual({ from: TODAY - 365 * DAY_MS, to: TODAY });
    expect(hasWicks(month.candles ?? [])).toBe(true);
    const first = await reader().hourly(BITCOIN, TODAY - 365 * DAY_MS);
    expect(first?.candles[0]?.opensAt).toBe(TODAY - 365 * DAY_MS);
    expect((await reader().hourly(BITCOIN, TODAY - 400 * DAY_MS)).candles).toEqual([]);

    const today = await hoursOf(TODAY);
    expect(today.map(({ opensAt }) => (opensAt - TODAY) / HOUR_MS)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(today.every(({ quality, samples }) => quality === 'sampled' && samples === 6)).toBe(true);
    expect(hasWicks(today)).toBe(true);
    expect(await hoursOf(TODAY - DAY_MS)).toEqual(month.candles.slice(-24));
    expect(await hoursOf(TODAY - 2 * DAY_MS)).toEqual([]);
  });

  it('has the provider’s prices', async () => {
    const days = await reader().daily(BITCOIN);
    const { lastAt, ...yesterday } = days.candles.at(-1) ?? { lastAt: 0 };
    const at = new Date(lastAt - 300_000).toISOString();
    const path = `/tickers/${BITCOIN}/historical?start=${at}&interval=5m&limit=1`;
    const [tick] = ask<{ price: number; volume_24h: number; market_cap: number }[]>(
      simulated.provider,
      path,
      {
        authorization: 'key',
      },
    ).json;
    expect(tick).toMatchObject({ volume_24h: expect.any(Number) });
    expect(yesterday).toMatchObject({ close: tick?.price, market_cap: tick?.market_cap });
    expect(Math.round((yesterday as StoredCandle).volume ?? 0)).toBe(tick?.volume_24h);
  });

  it('is completed up to now at each start, and keeps stored rows', async () => {
    const days = await reader().daily(BITCOIN);
    const exact = days.candles.slice(-3, -1).map((candle) => ({ ...candle, quality: 'exact' as const }));
    const file = openCandles(objects.get(DAILY) ?? Buffer.of());
    const sources = new SourceList(file.sources);
    const added = { candles: exact ?? [], coverage: undefined };
    const row = joinSeries(file.rows.content(BITCOIN), added, { stepMs: DAY_MS, sources });
    s3.objects.set(DAILY, encodeCandles(file, [[BITCOIN, row]]));
    await hoursOf(TODAY);
    s3.objects.set(ROLLED_UP, Buffer.from('{"through":"2026-11-21"}'));
    now += 3 * DAY_MS;

    const later = await storedAmong(seeded(), 'local').daily(BITCOIN);
    expect(later.candles).toHaveLength(368);
    expect(later.candles.filter(({ quality }) => quality === 'exact')).toHaveLength(2);
    expect(String(seeded().get(ROLLED_UP))).toBe('{"through":"2026-11-24"}');
  });

  it('has the samples of the running hour and the one before it, from which jobs go on', async () => {
    const slots = [-8, -7, -4, 2, 3, 4].map((slot) => TODAY + 7 * HOUR_MS + slot * 600_000);
    const samples = await Promise.all(
      slots.map((slot) => historyReader('local').samples(slot, 600_000, signal())),
    );
    expect(samples.map((one) => one?.takenAt)).toEqual([
      undefined,
      undefined,
      ...slots.slice(2, 4),
      undefined,
      undefined,
    ]);
    const [hour] = (await hoursOf(TODAY)).slice(-1);
    expect(samples[2]?.of(BITCOIN)?.price).toBeGreaterThanOrEqual(hour?.low ?? Number.NaN);
    expect(String(s3.objects.get(ROLLED_UP))).toBe('{"through":"2026-11-21"}');
  });

  it('has days of a coin that another replaced, up to when it was traded', async () => {
    const { candles } = await reader().daily(GONE);
    expect(candles.length).toBeGreaterThan(200);
    expect(candles.at(-1)?.opensAt).toBe(TODAY - 91 * DAY_MS);
  });

  it('has no other inactive or unknown coin, and no other object', async () => {
    const nothing = { candles: [], coverage: undefined };
    expect(await reader().daily(OLD)).toMatchObject(nothing);
    expect(await reader().daily('no-such-coin')).toMatchObject(nothing);
    for (const name of ['days.v2/2026-11/07', 'hours.v2/2026/07', 'day-hours.v2/2026-13-01'])
      expect(s3.objects.get(`/local/history/${encodeURIComponent(name)}`)).toBeUndefined();
    expect(s3.objects.get(DAILY.replace('local', 'other'))).toBeUndefined();
  });
});
