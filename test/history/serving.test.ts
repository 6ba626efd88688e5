import { beforeEach, describe, expect, it, vi } from 'vitest';
import { route } from '../../functions/marketdata/ohlcv/route.ts';
import type { S3Server } from '../../local/s3.ts';
import type { SimulatedSource } from '../../local/simulated/index.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { counted } from '../counted.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { type Candle, coldStart, fetchChart } from './chart.ts';
import {
  BUCKET,
  daysBefore,
  exactCandle,
  objectPath,
  putDays,
  putExact,
  putHours,
  putMonth,
  putSnapshot,
  storedCandle,
} from './stored.ts';
import { TODAY, useWorld } from './world.ts';

const NOW = TODAY + 4 * HOUR_MS + 10 * MINUTE_MS;
const MONTH = Date.UTC(2026, 8, 1);
const [BTC, ETH] = ['btc-bitcoin', 'eth-ethereum'];
const problems = compileResponse(route.response);

const world = useWorld({ now: NOW, plan: 'free' });
let s3: S3Server;
let provider: SimulatedSource;
let handler: LambdaHandler;
beforeEach(() => {
  ({ s3, provider } = world());
});

async function ask(query = '', id = ETH) {
  const { status: statusCode, headers, body } = await fetchChart(handler, id, query);
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
const hoursFrom = (from: number, count: number, price: number, made = storedCandle) =>
  Array.from({ length: count }, (_, hour) => made(from + hour * HOUR_MS, HOUR_MS, price + hour));
const hoursOfToday = (count = 4) => hoursFrom(TODAY, count, 200);
/** The reads of a coin's days by a container that has just started: where they are, and the coin's own. */
const readsOfDays = Array<string>(2).fill(`GET ${objectPath(objectNames.series('24h', ETH, TODAY))}`);

describe('a chart from our own history', () => {
  it('of Bitcoin costs one read, because its days are read while the function starts', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 400));
    putHours(s3, TODAY, { [BTC]: hoursOfToday() });
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    putSnapshot(s3, { tickers: [tickerOf(BTC, 200, TODAY + 4 * HOUR_MS)] });
    handler = await coldStart(s3);
    expect((await ask('limit=30', BTC)).candles).toHaveLength(30);
    expect(s3.requests).toEqual([`GET ${objectPath(objectNames.hours(TODAY))}`]);
  });

  it('of a listed coin takes no upstream request and four reads, and none the next time', async () => {
    putDays(s3, ETH, daysBefore(TODAY, 400));
    putHours(s3, TODAY, { [ETH]: hoursOfToday(), other: hoursOfToday() });
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    putSnapshot(s3, { tickers: [tickerOf(ETH, 200, TODAY + 4 * HOUR_MS)] });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=30');

    expect(candles).toHaveLength(30);
    expect(candles.at(-1)).toMatchObject({
      ...{ time_open: '2026-09-18T00:00:00Z', quality: 'sampled', complete: false },
      ...{ open: 200, high: 203 * 1.2, low: 200 * 0.9, close: 203 * 1.1 },
    });
    expect(candles.at(-2)).toMatchObject({ open: 499, volume: 1000, quality: 'sampled', complete: true });
    expect(headers).toMatchObject({
      'x-data-source': 'coinpaprika',
      'x-data-quality': 'sampled',
      'x-data-time': '2026-09-18T04:00:00.000Z',
    });
    const reads = [`GET ${objectPath(objectNames.coin(ETH))}`, `GET ${objectPath(objectNames.hours(TODAY))}`];
    expect(s3.requests.sort()).toEqual([...reads, ...readsOfDays]);
    await ask('interval=7d&limit=30');
    expect(s3.requests).toHaveLength(4);
    expect(provider.calls.total).toBe(0);
  });

  it('of another coin takes a fifth read, of what was fetched for it, which may be a price now', async () => {
    putDays(s3, ETH, daysBefore(TODAY, 400));
    putHours(s3, TODAY, { [ETH]: hoursOfToday() });
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    putSnapshot(s3, { tickers: [tickerOf(BTC, 200)] });
    handler = await coldStart(s3);
    await ask('limit=30');
    const [candles, hours, fetched] = [
      objectNames.coin(ETH),
      objectNames.hours(TODAY),
      objectNames.fetched(ETH),
    ].map((name) => `GET ${objectPath(name)}`);
    expect(s3.requests.filter((request) => request.includes('/history/')).sort()).toEqual([
      ...[candles, hours, ...readsOfDays, fetched],
    ]);
    await ask('interval=7d&limit=30');
    expect(s3.requests.filter((request) => request.includes('/history/'))).toHaveLength(5);
  });

  it.each([76, 52])(
    'of %i hours has those of a new month’s first days, which the roll-up has not merged yet',
    async (count) => {
      const month = Date.UTC(2026, 9, 1);
      const days = [0, 1, 2].map((day) => month + day * DAY_MS);
      vi.setSystemTime(month + 2 * DAY_MS + 4 * HOUR_MS - MINUTE_MS);
      putMonth(s3, ETH, hoursFrom(month - 3 * DAY_MS, 72, 100));
      for (const day of days) putHours(s3, day, { [ETH]: hoursFrom(day, day === days[2] ? 4 : 24, 200) });
      handler = await coldStart(s3);
      const { candles } = await ask(`interval=1h&limit=${count}`);
      expect(candles).toHaveLength(count);
    },
  );

  it('of hours has the month and the running day, without volumes, which samples lack', async () => {
    const hours = hoursFrom(MONTH, 17 * 24, 100);
    putMonth(s3, ETH, hours);
    putHours(s3, TODAY, { [ETH]: hoursOfToday() });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('interval=1h&limit=30');

    expect(candles.slice(0, -4).map(({ open }) => open)).toEqual(hours.slice(-25).map(({ open }) => open));
    expect(candles.at(-1)).toMatchObject({ open: 203, volume: null, quality: 'sampled', complete: true });
    expect(headers['x-data-quality']).toBe('sampled');
    expect(provider.calls.total).toBe(0);
  });

  it('in bitcoin is the ratio of two charts, without highs and lows', async () => {
    for (const [id, price] of [
      [BTC, 100],
      [ETH, 5],
    ] as const)
      putDays(
        s3,
        id,
        daysBefore(TODAY, 30, () => price),
      );
    handler = await coldStart(s3);

    const { candles, headers } = await ask('quote=btc&limit=10&end=2026-09-17');

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
});

describe('a chart of a coin that exchanges trade', () => {
  /** The exact hours up to six minutes ago. */
  const exactHours = () =>
    hoursFrom(TODAY, 5, 200, exactCandle).map((hour) => ({
      ...hour,
      lastAt: Math.min(hour.lastAt, NOW - 6 * MINUTE_MS),
    }));
  const sampled = { source: 'simulated' };

  /** Starts with 60 days, and a snapshot of two minutes ago that has sampled hours and the price as the last one. */
  async function startWith(exact: readonly StoredCandle[]): Promise<void> {
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    const days = daysBefore(TODAY, 60).map(({ opensAt, open }) =>
      exactCandle(opensAt, DAY_MS, open, { volume: 1000, market_cap: 5000 }),
    );
    putDays(s3, ETH, days);
    putExact(s3, TODAY, { [ETH]: exact });
    const takenAt = NOW - 2 * MINUTE_MS;
    const hours = [
      storedCandle(TODAY + 3 * HOUR_MS, HOUR_MS, 203, sampled),
      storedCandle(TODAY + 4 * HOUR_MS, HOUR_MS, 204, { ...sampled, close: 230, lastAt: takenAt }),
    ];
    putSnapshot(s3, { tickers: [tickerOf(ETH, 230, takenAt)], takenAt, hours: new Map([[ETH, hours]]) });
    handler = await coldStart(s3);
  }

  it('has exact candles with wicks, the running one included, and their sources', async () => {
    await startWith(exactHours());

    const { candles, headers } = await ask('limit=30');

    expect(candles.map(({ quality }) => quality)).toEqual(Array(30).fill('exact'));
    for (const { open, high, low, close } of candles) {
      expect(high).toBeGreaterThan(Math.max(open, close));
      expect(low).toBeLessThan(Math.min(open, close));
    }
    expect(candles.at(-2)).toMatchObject({ source: 'coinbase', volume: 1000 });
    expect(candles.at(-1)).toMatchObject({
      ...{ open: 200, high: 204 * 1.2, low: 180, close: 230, volume: 1000, market_cap: 5000 },
      source: 'coinbase,simulated',
    });
    expect(headers).toMatchObject({
      'x-data-quality': 'exact',
      'x-data-source': 'coinbase,simulated',
      'x-data-time': new Date(NOW - 2 * MINUTE_MS).toISOString(),
    });
    expect(provider.calls.total).toBe(0);
    const reads = [`GET ${objectPath(objectNames.coin(ETH))}`, `GET ${objectPath(objectNames.exact(TODAY))}`];
    expect(s3.requests.sort()).toEqual([...reads, ...readsOfDays]);
  });

  it('looks for the running hour again after a minute', async () => {
    await startWith(exactHours());
    await ask('limit=2');

    const lastAt = NOW + 1 * MINUTE_MS;
    const newer = exactHours().with(
      4,
      exactCandle(TODAY + 4 * HOUR_MS, HOUR_MS, 500, { lastAt, isSettled: false }),
    );
    putExact(s3, TODAY, { [ETH]: newer, another: exactHours() });
    s3.requests.length = 0;
    vi.setSystemTime(NOW + MINUTE_MS - 1);
    await ask('limit=2');
    expect(s3.requests).toEqual([]);
    vi.setSystemTime(NOW + MINUTE_MS);
    expect((await ask('limit=2')).candles.at(-1)?.high).toBe(600);
  });

  it('costs one read without content for each object that has not changed', async () => {
    await startWith(exactHours());
    await ask('limit=2');
    s3.requests.length = 0;
    vi.setSystemTime(NOW + MINUTE_MS);
    await ask('limit=2');
    const ofHistory = s3.requests.filter((line) => line.includes('/history/'));
    expect(ofHistory.sort()).toEqual(
      [objectNames.coin(ETH), objectNames.exact(TODAY)].map((name) => `GET ${objectPath(name)}`),
    );
  });

  it('reads sampled hours for missing ones of exchanges, and has their quality', async () => {
    putHours(s3, TODAY, { [ETH]: hoursOfToday(3).map((hour) => ({ ...hour, ...sampled })) });
    await startWith(exactHours().toSpliced(1, 1));

    const { candles, headers } = await ask('limit=2');
    expect(candles.map(({ quality }) => quality)).toEqual(['exact', 'sampled']);
    expect(headers['x-data-quality']).toBe('sampled');
    expect(s3.requests).toHaveLength(5);
    const hours = (await ask('interval=1h&limit=5')).candles;
    expect(hours.map(({ quality, source }) => `${quality} ${source}`)).toEqual([
      ...['exact coinbase', 'sampled simulated', 'exact coinbase', 'exact coinbase'],
      'exact coinbase,simulated',
    ]);
  });

  it('of hours is exact, without volumes of 24 hours', async () => {
    const hours = hoursFrom(MONTH, 17 * 24, 100, exactCandle);
    putMonth(
      s3,
      ETH,
      hours.map((hour) => ({ ...hour, market_cap: 7 })),
    );
    await startWith(exactHours());

    const { candles, headers } = await ask('interval=1h&limit=30');
    expect(headers['x-data-quality']).toBe('exact');
    expect(candles.map(({ volume }) => volume)).toEqual(Array(30).fill(null));
    expect([candles.at(0)?.market_cap, candles.at(-2)?.market_cap]).toEqual([7, 5000]);
    expect(provider.calls.total).toBe(0);
  });
});

describe('a chart that the store lacks', () => {
  it.each(['1h', '24h'])(
    'is refused with the earliest start of the plan, and served where the store has more: %s',
    async (interval) => {
      const begin = interval === '24h' ? Date.UTC(2024, 7, 30) : Date.UTC(2026, 5, 1);
      if (interval === '24h') putDays(s3, ETH, daysBefore(TODAY, (TODAY - begin) / DAY_MS));
      else putMonth(s3, ETH, hoursFrom(begin, (TODAY - begin) / HOUR_MS, 100));
      handler = await coldStart(s3);

      const { body } = await ask(`interval=${interval}&start=2020-01-01&limit=1`);

      const [, earliest = ''] = /allowed: from (\S+) on$/.exec((body as { error: string }).error) ?? [];
      expect((await ask(`interval=${interval}&start=${earliest}&limit=1`)).statusCode).toBe(200);
      const { candles } = await ask(`interval=${interval}&start=${new Date(begin).toISOString()}&limit=1`);
      expect(candles.map(({ time_open }) => Date.parse(time_open))).toEqual([begin]);
    },
  );

  it('is fetched from a gap on and joined with stored candles, the better one of each pair', async () => {
    putDays(s3, BTC, daysBefore(TODAY, 30).toSpliced(20, 1));
    // Near the provider’s price: a chart far from the stored price would be refused.
    const hours = hoursOfToday().map((hour) => ({ ...hour, high: 100_000, close: 100_000 }));
    putHours(s3, TODAY, { [BTC]: hours });
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=30', BTC);

    const qualities = candles.map(({ quality }) => quality);
    expect(qualities).toEqual(Array(30).fill('sampled').with(19, 'derived'));
    expect(headers).toMatchObject({
      'x-data-quality': 'derived',
      'x-data-source': 'coinpaprika,simulated',
    });
    const calls = provider.calls.total;
    expect(calls).toBeGreaterThan(0);
    await ask('limit=29', BTC);
    expect(provider.calls.total).toBe(calls);
  });

  it('is empty where the provider had nothing', async () => {
    putDays(s3, ETH, daysBefore(TODAY, 12), { from: TODAY - 365 * DAY_MS, to: TODAY });
    putHours(s3, TODAY, { [ETH]: hoursOfToday() });
    handler = await coldStart(s3);

    expect((await ask('limit=30')).candles).toHaveLength(13);
    expect((await ask('end=2026-08-01&limit=3')).candles).toEqual([]);
    expect(provider.calls.total).toBe(0);
  });

  it.each([
    ['usd', 5, 30, 24],
    ['usd', 40, 5, 5],
    ['btc', 40, 5, 5],
  ])(
    'ends with the last stored days, dated and stale, while the provider is down: in %s, %i days ago',
    async (quote, daysAgo, limit, count) => {
      const end = TODAY - daysAgo * DAY_MS;
      for (const id of [BTC, ETH]) putDays(s3, id, daysBefore(end, 100));
      handler = await coldStart(s3);
      await provider.close();

      const { statusCode, candles, headers } = await ask(`limit=${limit}&quote=${quote}`);

      expect([statusCode, candles.length]).toEqual([200, count]);
      expect(Date.parse(candles.at(-1)?.time_open ?? '')).toBe(end - DAY_MS);
      expect(headers).toMatchObject({
        'x-data-quality': 'stale',
        'x-data-time': new Date(end).toISOString(),
        'cache-control': expect.stringContaining('max-age=0'),
      });
    },
  );

  it('is not replaced by data from before the requested times', async () => {
    putDays(s3, ETH, daysBefore(TODAY - 40 * DAY_MS, 100));
    handler = await coldStart(s3);
    await provider.close();

    const weeks = (await ask('interval=7d&limit=3')).candles;
    expect(dates(weeks)).toEqual(['2026-07-19', '2026-07-26', '2026-08-02']);
    expect(weeks.map(({ complete }) => complete)).toEqual([true, true, true]);
    expect((await ask('limit=5&start=2026-09-10')).statusCode).toBe(502);
    expect((await ask('limit=5&end=2026-09-10')).statusCode).toBe(502);
  });

  it('of hours ends with the last stored hours, and with the closes of days', async () => {
    putMonth(s3, ETH, hoursFrom(MONTH, 30, 100));
    handler = await coldStart(s3);
    await provider.close();

    const { candles, headers } = await ask('interval=1h&limit=24');
    expect(candles.map(({ open }) => open)).toEqual(Array.from({ length: 24 }, (_, hour) => 106 + hour));
    expect(headers).toMatchObject({ 'x-data-quality': 'stale', 'x-data-time': '2026-09-02T06:00:00.000Z' });

    const days = daysBefore(TODAY - 14 * DAY_MS, 100);
    putDays(s3, ETH, days);
    handler = await coldStart(s3);

    const later = await ask('interval=1h&limit=30');
    const { close = 0, market_cap } = days.at(-1) ?? {};
    expect(later.candles.map(({ time_open }) => time_open.slice(5, 13))).toEqual(['09-02T23', '09-03T23']);
    expect(later.candles.at(-1)).toMatchObject({
      ...{ open: close, high: close, low: close, close, volume: null, market_cap },
      ...{ quality: 'derived', complete: true },
    });
    expect(later.headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': '2026-09-04T00:00:00.000Z',
    });
  });
});

describe('an object that cannot be opened', () => {
  it.each([
    ['damaged', (bytes: Buffer) => bytes.fill(7, 200, 300)],
    ['of a newer version', (bytes: Buffer) => bytes.fill(99, 8, 9)],
  ])('because it is %s is counted, and costs no request upstream', async (_how, spoil) => {
    putDays(s3, ETH, daysBefore(TODAY, 100));
    const path = objectPath(objectNames.series('24h', ETH, TODAY));
    s3.objects.set(path, spoil(Buffer.from(s3.objects.get(path) ?? '')));
    handler = await coldStart(s3);

    const { statusCode, body } = await ask('limit=10');

    expect([statusCode, body]).toEqual([503, { success: false, error: expect.stringContaining('restored') }]);
    putHours(s3, TODAY, { [ETH]: hoursOfToday() });
    handler = await coldStart(s3);
    const { candles, headers } = await ask('limit=10');
    expect([candles.length, headers['x-data-quality']]).toEqual([1, 'stale']);
    expect(provider.calls.total).toBe(0);
    expect(await counted()).toMatchObject({ HistoryUnusable: 1 });
  });

  it.each(['24h', '1h'])('and an S3 that does not respond leave the provider: %s', async (interval) => {
    handler = await coldStart(s3);
    await s3.close();
    const { statusCode, headers } = await ask(`interval=${interval}&limit=10`);
    expect([statusCode, headers['x-data-source']]).toEqual([200, 'simulated']);
    expect(await counted()).toMatchObject({ SharedStoreFailures: expect.any(Number) });
  });
});
