import { beforeEach, describe, expect, it } from 'vitest';
import { route } from '../../functions/marketdata/ohlcv/route.ts';
import type { S3Server } from '../../local/s3.ts';
import type { SimulatedSource } from '../../local/simulated/index.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { askForChart, type Candle, coldStart } from './chart.ts';
import {
  DAY_MS,
  daysBefore,
  HOUR_MS,
  objectPath,
  putDays,
  putHours,
  putMonth,
  storedCandle,
} from './stored.ts';
import { TODAY, useWorld } from './world.ts';

const NOW = TODAY + 4 * HOUR_MS + 10 * 60_000;
const ID = 'btc-bitcoin';
const problems = compileResponse(route.response);

const world = useWorld({ now: NOW, plan: 'free' });
let s3: S3Server;
let provider: SimulatedSource;
let handler: LambdaHandler;
beforeEach(() => {
  ({ s3, provider } = world());
});

async function counted(): Promise<unknown> {
  const { takeMetrics } = await import('../../shared/platform/metrics.ts');
  return JSON.parse(takeMetrics('n') ?? '{}');
}

async function ask(query = '', id = ID) {
  const { status: statusCode, headers, body } = await askForChart(handler, id, query);
  if (statusCode !== 200) return { statusCode, headers, body, candles: [] };
  const { data } = body as { data: { data: Candle[]; count: number } }; // checked right here
  expect(problems(data)).toEqual([]);
  expect(data.count).toBe(data.data.length);
  const times = data.data.map(({ time_open }) => Date.parse(time_open));
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  for (const { open, high, low, close } of data.data) {
    expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
    expect(low).toBeLessThanOrEqual(Math.min(open, close));
  }
  return { statusCode, headers, body, candles: data.data };
}
const dates = (candles: readonly Candle[]) => candles.map(({ time_open }) => time_open.slice(0, 10));
const hoursOfToday = (count: number) =>
  Array.from({ length: count }, (_, hour) => storedCandle(TODAY + hour * HOUR_MS, HOUR_MS, 200 + hour));

describe('a chart from our own history', () => {
  it('costs no request upstream, one read for its days and one for the running day’s hours', async () => {
    putDays(s3, ID, daysBefore(TODAY, 400));
    putHours(s3, TODAY, { [ID]: hoursOfToday(4), other: hoursOfToday(4) });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=30');

    expect(provider.calls.total).toBe(0);
    expect(candles).toHaveLength(30);
    expect(candles.at(-1)).toMatchObject({
      time_open: '2026-09-18T00:00:00Z',
      open: 200,
      high: 203 * 1.2,
      low: 200 * 0.9,
      close: 203 * 1.1,
      quality: 'sampled',
      complete: false,
    });
    expect(candles.at(-2)).toMatchObject({ open: 499, volume: 1000, quality: 'sampled', complete: true });
    expect(headers).toMatchObject({ 'x-data-source': 'coinpaprika', 'x-data-quality': 'sampled' });
    expect(headers['x-data-time']).toBe('2026-09-18T04:00:00.000Z');
    // What was read at init is not read again: the days of Bitcoin, and where the hours are.
    const hoursOfTheDay = [`GET ${objectPath(objectNames.hours(TODAY))}`];
    expect(s3.requests).toEqual(hoursOfTheDay);
    await ask('interval=7d&limit=30');
    expect(s3.requests).toEqual(hoursOfTheDay);
  });

  it('of a coin that is not the first one takes three reads, and none the next time', async () => {
    putDays(s3, 'eth-ethereum', daysBefore(TODAY, 400));
    putHours(s3, TODAY, { 'eth-ethereum': hoursOfToday(4) });
    handler = await coldStart(s3);

    await ask('limit=30', 'eth-ethereum');
    expect(s3.requests.sort()).toEqual([
      `GET ${objectPath(objectNames.hours(TODAY))}`,
      // Where the days are, and the coin's own.
      `GET ${objectPath(objectNames.series('24h', 'eth-ethereum', TODAY))}`,
      `GET ${objectPath(objectNames.series('24h', 'eth-ethereum', TODAY))}`,
    ]);
    await ask('interval=30d&limit=8', 'eth-ethereum');
    expect(s3.requests).toHaveLength(3);
    expect(provider.calls.total).toBe(0);
  });

  it.each([
    ['7d', 7, 52],
    ['14d', 14, 26],
    ['30d', 30, 12],
    ['90d', 90, 4],
    ['365d', 365, 1],
  ])('of %s is folded from days', async (interval, size, limit) => {
    const days = daysBefore(TODAY, 400);
    putDays(s3, ID, days);
    putHours(s3, TODAY, { [ID]: hoursOfToday(4) });
    handler = await coldStart(s3);

    const { candles } = await ask(`interval=${interval}&limit=${limit}`);

    expect(candles).toHaveLength(limit);
    expect(candles.at(-1)?.complete).toBe(false);
    const before = days.slice(-(size - 1));
    expect(candles.at(-1)).toMatchObject({
      open: before[0]?.open ?? 200,
      high: Math.max(...before.map(({ high }) => high), 203 * 1.2),
      close: 203 * 1.1,
    });
    expect(provider.calls.total).toBe(0);
  });

  it('reaches further back than the plan ever did', async () => {
    putDays(s3, ID, daysBefore(TODAY, 900));
    handler = await coldStart(s3);

    const { candles, headers } = await ask('end=2024-09-30&limit=20');

    expect(dates(candles)).toEqual(
      Array.from({ length: 20 }, (_, day) =>
        new Date(Date.UTC(2024, 8, 11 + day)).toISOString().slice(0, 10),
      ),
    );
    expect(headers['x-data-quality']).toBe('sampled');
    expect(provider.calls.total).toBe(0);
  });

  it('of hours takes the month, the running day, and no volume, which samples do not know', async () => {
    const month = Date.UTC(2026, 8, 1);
    const hours = Array.from({ length: 17 * 24 }, (_, hour) =>
      storedCandle(month + hour * HOUR_MS, HOUR_MS, 100 + hour),
    );
    putMonth(s3, ID, hours);
    putHours(s3, TODAY, { [ID]: hoursOfToday(4) });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('interval=1h&limit=30');

    expect(candles.slice(0, -4).map(({ open }) => open)).toEqual(hours.slice(-25).map(({ open }) => open));
    expect(candles.at(-1)).toMatchObject({ open: 203, volume: null, quality: 'sampled', complete: true });
    expect(headers['x-data-quality']).toBe('sampled');
    expect(provider.calls.total).toBe(0);
  });

  it('in bitcoin is the ratio of two, which knows no highs and lows', async () => {
    putDays(
      s3,
      ID,
      daysBefore(TODAY, 30, () => 100),
    );
    putDays(
      s3,
      'eth-ethereum',
      daysBefore(TODAY, 30, () => 5),
    );
    handler = await coldStart(s3);

    const { candles, headers } = await ask('quote=btc&limit=10&end=2026-09-17', 'eth-ethereum');

    expect(candles).toHaveLength(10);
    expect(candles[0]).toMatchObject({
      open: 0.05,
      close: (5 * 1.1) / (100 * 1.1),
      high: 0.05,
      quality: 'derived',
    });
    expect(headers['x-data-quality']).toBe('derived');
    expect(provider.calls.total).toBe(0);
  });

  it('is derived of a day with few samples, also while there is no snapshot to tell how many there should be', async () => {
    putDays(s3, ID, daysBefore(TODAY, 30));
    const few = { samples: 2, quality: 'derived' } as const;
    putHours(s3, TODAY, { [ID]: hoursOfToday(4).map((hour) => ({ ...hour, ...few })) });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=3');
    expect(candles.map(({ quality }) => quality)).toEqual(['sampled', 'sampled', 'derived']);
    expect(headers['x-data-quality']).toBe('derived');
  });

  it('tells the weakest quality in the window, and nothing of what lies outside', async () => {
    const days = daysBefore(TODAY, 30).map((day, index) =>
      index === 10 ? { ...day, quality: 'derived' as const, samples: 20 } : day,
    );
    putDays(s3, ID, days);
    handler = await coldStart(s3);

    expect((await ask('end=2026-09-17&limit=19')).headers['x-data-quality']).toBe('sampled');
    const { headers, candles } = await ask('end=2026-09-17&limit=20');
    expect(headers['x-data-quality']).toBe('derived');
    expect(candles.map(({ quality }) => quality)).toEqual(['derived', ...Array(19).fill('sampled')]);
    expect((await ask('end=2026-09-17&interval=14d&limit=2')).candles.map(({ quality }) => quality)).toEqual([
      'derived',
      'sampled',
    ]);
  });
});

describe('what the store does not have', () => {
  it('is asked for', async () => {
    handler = await coldStart(s3);
    const { candles, headers } = await ask('limit=5');
    expect(candles).toHaveLength(5);
    expect(headers['x-data-quality']).toBe('derived');
    expect(provider.calls.total).toBeGreaterThan(0);
  });

  it.each(['1h', '24h'])(
    'is refused with the earliest start that the store or the plan has: %s',
    async (interval) => {
      const stepMs = interval === '1h' ? HOUR_MS : DAY_MS;
      const begin = Date.UTC(2024, 7, 30);
      putDays(s3, ID, daysBefore(TODAY, (TODAY - begin) / DAY_MS));
      for (const month of [5, 6, 7, 8]) {
        const [from, to] = [Date.UTC(2026, month, 1), Math.min(Date.UTC(2026, month + 1, 1), TODAY)];
        const hours = Array.from({ length: (to - from) / HOUR_MS }, (_, hour) =>
          storedCandle(from + hour * HOUR_MS, HOUR_MS, 100),
        );
        putMonth(s3, ID, hours);
      }
      handler = await coldStart(s3);

      const { body } = await ask(`interval=${interval}&start=2020-01-01&limit=1`);

      const [, earliest = ''] = /allowed: from (\S+) on$/.exec((body as { error: string }).error) ?? [];
      expect(Date.parse(earliest)).toBe(interval === '1h' ? Date.UTC(2026, 5, 1) : begin);
      const { candles } = await ask(`interval=${interval}&start=${earliest}&limit=1`);
      expect(candles.map(({ time_open }) => Date.parse(time_open))).toEqual([Date.parse(earliest)]);
      const before = new Date(Date.parse(earliest) - stepMs).toISOString();
      expect((await ask(`interval=${interval}&start=${before}&limit=1`)).statusCode).toBe(400);
    },
  );

  it('is asked for from a gap on, and joined with what is stored, of which the better one counts', async () => {
    const days = daysBefore(TODAY, 30).filter((_, index) => index !== 20);
    putDays(s3, ID, days);
    // Near to what the provider says: a chart that is far from the stored price would be refused.
    putHours(s3, TODAY, {
      [ID]: hoursOfToday(4).map((hour) => ({ ...hour, high: 100_000, close: 100_000 })),
    });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=30');

    expect(candles).toHaveLength(30);
    const qualities = candles.map(({ quality }) => quality);
    expect(qualities.filter((quality) => quality === 'derived')).toHaveLength(1);
    expect(qualities[19]).toBe('derived');
    expect(headers['x-data-quality']).toBe('derived');
    expect(headers['x-data-source']).toBe('coinpaprika,simulated');
    const calls = provider.calls.total;
    expect(calls).toBeGreaterThan(0);
    await ask('limit=29');
    expect(provider.calls.total).toBe(calls);
  });

  it('is nothing where a provider was asked and had nothing', async () => {
    const asked = { from: TODAY - 365 * DAY_MS, to: TODAY };
    putDays(s3, ID, daysBefore(TODAY, 12), asked);
    putHours(s3, TODAY, { [ID]: hoursOfToday(4) });
    handler = await coldStart(s3);

    expect((await ask('limit=30')).candles).toHaveLength(13);
    expect((await ask('end=2026-08-01&limit=3')).candles).toEqual([]);
    expect(provider.calls.total).toBe(0);
  });

  it('is left at what there is, dated and stale, if the provider is silent', async () => {
    putDays(s3, ID, daysBefore(TODAY - 5 * DAY_MS, 100));
    handler = await coldStart(s3);
    await provider.close();

    const { statusCode, candles, headers } = await ask('limit=30');

    expect(statusCode).toBe(200);
    expect(candles).toHaveLength(24);
    expect(headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': '2026-09-13T00:00:00.000Z',
    });
    expect(headers['cache-control']).toContain('max-age=0');
  });

  it.each(['usd', 'btc'])(
    'is left at the last days that were known, if none of late are, in %s',
    async (quote) => {
      for (const id of [ID, 'eth-ethereum']) putDays(s3, id, daysBefore(TODAY - 40 * DAY_MS, 100));
      handler = await coldStart(s3);
      await provider.close();

      const { statusCode, candles, headers } = await ask(`limit=5&quote=${quote}`, 'eth-ethereum');

      expect(statusCode).toBe(200);
      expect(dates(candles)).toEqual(['2026-08-04', '2026-08-05', '2026-08-06', '2026-08-07', '2026-08-08']);
      expect(headers).toMatchObject({
        'x-data-quality': 'stale',
        'x-data-time': '2026-08-09T00:00:00.000Z',
      });
      const weeks = (await ask(`interval=7d&limit=3&quote=${quote}`, 'eth-ethereum')).candles;
      expect(dates(weeks)).toEqual(['2026-07-19', '2026-07-26', '2026-08-02']);
      expect(weeks.map(({ complete }) => complete)).toEqual([true, true, true]);
    },
  );

  it('is not replaced by what was known before the times that were asked for', async () => {
    putDays(s3, 'eth-ethereum', daysBefore(TODAY - 40 * DAY_MS, 100));
    handler = await coldStart(s3);
    await provider.close();

    expect((await ask('limit=5&start=2026-09-10', 'eth-ethereum')).statusCode).toBe(502);
    expect((await ask('limit=5&end=2026-09-10', 'eth-ethereum')).statusCode).toBe(502);
  });

  it('is asked for all the same, for two seconds, and is what a chart gets if it comes', async () => {
    putDays(s3, 'eth-ethereum', daysBefore(TODAY - 40 * DAY_MS, 100));
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=5', 'eth-ethereum');

    expect(dates(candles).at(-1)).toBe('2026-09-18');
    expect(headers['x-data-quality']).toBe('derived');
  });

  it('of hours is left at the last that were known, and at the closes of days', async () => {
    const month = Date.UTC(2026, 8, 1);
    const hours = Array.from({ length: 30 }, (_, hour) =>
      storedCandle(month + hour * HOUR_MS, HOUR_MS, 100 + hour),
    );
    putMonth(s3, 'eth-ethereum', hours);
    handler = await coldStart(s3);
    await provider.close();

    const { candles, headers } = await ask('interval=1h&limit=24', 'eth-ethereum');
    expect(candles.map(({ open }) => open)).toEqual(hours.slice(-24).map(({ open }) => open));
    expect(headers).toMatchObject({ 'x-data-quality': 'stale', 'x-data-time': '2026-09-02T06:00:00.000Z' });

    const days = daysBefore(TODAY - 14 * DAY_MS, 100);
    putDays(s3, 'eth-ethereum', days);
    handler = await coldStart(s3);

    const later = await ask('interval=1h&limit=30', 'eth-ethereum');
    const [, last] = later.candles.slice(-2);
    const close = days.at(-1)?.close;
    expect(last).toEqual({
      time_open: '2026-09-03T23:00:00Z',
      time_close: '2026-09-03T23:59:59Z',
      open: close,
      high: close,
      low: close,
      close,
      volume: null,
      market_cap: days.at(-1)?.market_cap,
      quality: 'derived',
      source: 'coinpaprika',
      complete: true,
    });
    expect(later.candles.map(({ time_open }) => time_open.slice(5, 13))).toEqual(['09-02T23', '09-03T23']);
    expect(later.headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': '2026-09-04T00:00:00.000Z',
    });
  });

  it('leaves a chart that is whole as it is, whoever is silent', async () => {
    putDays(s3, ID, daysBefore(TODAY, 100));
    putHours(s3, TODAY, { [ID]: hoursOfToday(4) });
    handler = await coldStart(s3);
    await provider.close();

    const { candles, headers } = await ask('limit=30');
    expect(candles).toHaveLength(30);
    expect(headers['x-data-quality']).toBe('sampled');
  });
});

describe('an object that cannot be opened', () => {
  it.each([
    ['damaged', (bytes: Buffer) => bytes.fill(7, 200, 300)],
    ['cut off', (bytes: Buffer) => bytes.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['of a newer version', (bytes: Buffer) => bytes.fill(2, 8, 9)],
  ])('because it is %s is counted, and costs no request upstream', async (_how, spoil) => {
    putDays(s3, 'eth-ethereum', daysBefore(TODAY, 100));
    const path = objectPath(objectNames.series('24h', 'eth-ethereum', TODAY));
    s3.objects.set(path, spoil(Buffer.from(s3.objects.get(path) ?? '')));
    handler = await coldStart(s3);

    const asked = provider.calls.total;
    const { statusCode, body } = await ask('limit=10', 'eth-ethereum');

    expect([statusCode, body]).toEqual([503, { success: false, error: expect.stringContaining('restored') }]);
    putHours(s3, TODAY, { 'eth-ethereum': hoursOfToday(4) });
    handler = await coldStart(s3);
    const { candles, headers } = await ask('limit=10', 'eth-ethereum');
    expect([candles.length, headers['x-data-quality']]).toEqual([1, 'stale']);
    expect(provider.calls.total).toBe(asked);
    expect(await counted()).toMatchObject({ HistoryUnusable: 1 });
  });

  it('of the running day leaves the days before it', async () => {
    putDays(s3, ID, daysBefore(TODAY, 100));
    putHours(s3, TODAY, { [ID]: hoursOfToday(4) });
    s3.objects.get(objectPath(objectNames.hours(TODAY)))?.fill(9, 64, 200);
    handler = await coldStart(s3);
    expect((await ask('limit=10&end=2026-09-17')).headers['x-data-quality']).toBe('sampled');
    expect((await ask('limit=10')).statusCode).toBe(200);
  });

  it('and an S3 that does not answer leave the provider', async () => {
    handler = await coldStart(s3);
    await s3.close();
    const { statusCode, headers } = await ask('limit=10', 'eth-ethereum');
    expect([statusCode, headers['x-data-source']]).toEqual([200, 'simulated']);
    expect(await counted()).toMatchObject({ SharedStoreFailures: expect.any(Number) });
  });
});
