import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../../local/s3.ts';
import type { SimulatedSource } from '../../../local/simulated/index.ts';
import { publicFor } from '../../../shared/http/cache-control.ts';
import { objectNames } from '../../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/platform/time.ts';
import {
  BUCKET,
  daysBefore,
  exactCandle,
  objectPath,
  putDays,
  putExact,
  putHours,
  putMonth,
  putSamples,
  putSnapshot,
  storedCandle,
} from '../../../test/history/stored.ts';
import { TODAY, useWorld } from '../../../test/history/world.ts';
import { call, commonHeaders, failure, refusalHeaders } from '../../../test/pipeline/event.ts';
import { underTest } from '../../../test/pipeline/under-test.ts';
import { tickerOf } from '../../../test/snapshot/tickers.ts';
import { route } from './route.ts';

const NOW = TODAY + 4 * HOUR_MS + 13 * MINUTE_MS;
const ID = 'btc-bitcoin';

const world = useWorld({ now: NOW, plan: 'paid' });
let s3: S3Server;
let provider: SimulatedSource;
beforeEach(() => {
  ({ s3, provider } = world());
});

const served = underTest(route, () => import('./handler.ts'));
async function coldStart(): Promise<void> {
  await served.coldStart();
  s3.requests.length = 0;
}
const ask = (query: string, id = ID) => served.ask({ pathParameters: { id }, query });
async function pricesOf(query: string, id = ID) {
  const { data, count } = await served.dataOf({ pathParameters: { id }, query });
  expect(count).toBe(data.length);
  return data;
}

const publish = (price: number, madeAt: number) =>
  putSnapshot(s3, { tickers: [tickerOf(ID, price, madeAt)], takenAt: madeAt });
const at = (time: number) => new Date(time).toISOString();
const seconds = (time: number) => `${at(time).slice(0, 19)}Z`;
/** An hour made of samples; the last one was taken ten minutes before its end. */
const hour = (opensAt: number, close: number) =>
  storedCandle(opensAt, HOUR_MS, 1, { close, lastAt: opensAt + 50 * MINUTE_MS });

describe('the price at an instant', () => {
  it('is that of the sample before it, with its own time, and exactly the documented fields', async () => {
    putSamples(s3, TODAY + 10 * MINUTE_MS, { [ID]: 101 });
    putSamples(s3, TODAY + 20 * MINUTE_MS, { [ID]: 102, other: 1 });
    putDays(s3, ID, daysBefore(TODAY, 400));
    await coldStart();

    const answer = await ask('at=2026-09-18T00:25:00.9Z');

    expect(answer).toEqual({
      status: 200,
      headers: {
        ...commonHeaders(100),
        'x-data-source': 'coinpaprika',
        'x-data-quality': 'sampled',
        'x-data-time': '2026-09-18T00:20:00.000Z',
        'cache-control': publicFor(7 * 60),
      },
      body: {
        success: true,
        data: {
          coinId: ID,
          quote: 'usd',
          count: 1,
          data: [
            {
              at: '2026-09-18T00:25:00Z',
              price: 102,
              time: '2026-09-18T00:20:00Z',
              source: 'coinpaprika',
              quality: 'sampled',
            },
          ],
        },
      },
    });
    expect(await pricesOf('at=2026-09-18T00:19:59Z')).toMatchObject([{ price: 101 }]);
    expect(await pricesOf('at=2026-09-18T00:20:00Z')).toMatchObject([{ price: 102 }]);
    expect(provider.calls.total).toBe(0);
  });

  it('is that of the newest snapshot, as exact', async () => {
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    publish(777, NOW - 2 * MINUTE_MS);
    putSamples(s3, NOW - 13 * MINUTE_MS, { [ID]: 101 });
    putDays(s3, ID, daysBefore(TODAY, 400));
    await coldStart();

    expect(await pricesOf(`at=${at(NOW)}`)).toMatchObject([
      { price: 777, time: '2026-09-18T04:11:00Z', quality: 'exact', source: 'simulated' },
    ]);
    expect(await pricesOf(`at=${at(NOW - 3 * MINUTE_MS)}`)).toMatchObject([
      { price: 101, quality: 'sampled' },
    ]);
  });

  it('comes in the order of the list, null if none is known', async () => {
    putDays(
      s3,
      ID,
      daysBefore(TODAY - 400 * DAY_MS, 10, (index) => index + 1),
    );
    await coldStart();
    const end = TODAY - 400 * DAY_MS;
    const asked = [end + 3 * DAY_MS, end, end - DAY_MS, end - 20 * DAY_MS];

    const { status, headers, body } = await ask(`at=${asked.map(at).join(',')}`);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      data: { count: 4, data: [null, { at: seconds(end) }, { at: seconds(end - DAY_MS) }, null] },
    });
    expect(headers).toMatchObject({ 'x-data-time': at(end), 'cache-control': publicFor(7 * 60) });
  });

  it('is cached for a day, one of the last two days until the next sample', async () => {
    putDays(s3, ID, daysBefore(TODAY, 30));
    await coldStart();
    const control = async (query: string) => (await ask(query)).headers['cache-control'];

    expect(await control('at=2026-09-10')).toBe(publicFor(86_400));
    expect(await control('at=2026-09-10,2026-09-11')).toBe(publicFor(86_400));
    expect(await control('at=2026-09-10,2026-09-17')).toBe(publicFor(7 * 60));
  });

  it('reads at most 40 objects for a list: samples for its first instants, hours for the others', async () => {
    const instants = Array.from({ length: 100 }, (_, index) => TODAY + 85 * MINUTE_MS - index * 4 * HOUR_MS);
    const hours = Array.from({ length: 40 * 24 }, (_, index) => hour(TODAY - (40 * 24 - index) * HOUR_MS, 5));
    putMonth(s3, ID, hours);
    putDays(s3, ID, daysBefore(TODAY, 400));
    for (const instant of instants) putSamples(s3, instant - 5 * MINUTE_MS, { [ID]: 7 });
    await coldStart();

    const prices = await pricesOf(`at=${instants.map(seconds).join(',')}`);

    expect(s3.requests.length).toBeLessThanOrEqual(40);
    const sampled = prices.findIndex((price) => price?.price !== 7);
    expect(sampled).toBeGreaterThan(20);
    expect(prices.slice(sampled).map((price) => price?.price)).toEqual(Array(100 - sampled).fill(5));
  });
});

it('the price of a token comes from the source of token prices, with its name and time', async () => {
  const TOKEN = 'pepe-pepe';
  vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
  publish(777, NOW - 2 * MINUTE_MS); // without the token
  putDays(s3, TOKEN, daysBefore(TODAY, 400));
  putSamples(s3, TODAY + 14 * MINUTE_MS, { [TOKEN]: 0.5 }, 'defillama');
  putSamples(s3, TODAY + 24 * MINUTE_MS, { [TOKEN]: 0.6 }, 'defillama');
  putSamples(s3, TODAY + 31 * MINUTE_MS, { [TOKEN]: 0.7 });
  await coldStart();

  const times = ['13:59', '14:00', '23:59', '24:00', '35:00'].map((time) => `2026-09-18T00:${time}Z`);
  const sampled = { quality: 'sampled', source: 'defillama' };
  expect(await pricesOf(`at=${times}`, TOKEN)).toMatchObject([
    { time: '2026-09-18T00:00:00Z' },
    { price: 0.5, time: '2026-09-18T00:14:00Z', ...sampled },
    { price: 0.5 },
    { price: 0.6, time: '2026-09-18T00:24:00Z', ...sampled },
    { price: 0.7, source: 'coinpaprika' },
  ]);
  expect(provider.calls.total).toBe(0);
});

describe('the price of a coin that exchanges trade', () => {
  const exact = (index: number, given: Partial<StoredCandle> = {}) =>
    exactCandle(TODAY + index * HOUR_MS, HOUR_MS, 100 + index, given);
  const exactly = { quality: 'exact', source: 'coinbase' };

  it('is the close of a completed hour, or the newest price of the running one', async () => {
    putDays(s3, ID, daysBefore(TODAY, 400));
    putExact(s3, TODAY, {
      [ID]: [exact(0), exact(1), exact(2), exact(3), exact(4, { close: 120, lastAt: NOW - 5 * MINUTE_MS })],
    });
    await coldStart();

    const close = { price: 101 * 1.1, time: '2026-09-18T02:00:00Z', ...exactly };
    expect(await pricesOf('at=2026-09-18T02:59:59Z')).toMatchObject([close]);
    expect(await pricesOf('at=2026-09-18T03:00:00Z')).toMatchObject([{ time: '2026-09-18T03:00:00Z' }]);
    const running = { price: 120, time: seconds(NOW - 5 * MINUTE_MS), ...exactly };
    expect(await pricesOf(`at=${seconds(NOW)}`)).toMatchObject([running]);
    expect(await pricesOf(`at=${seconds(NOW - 6 * MINUTE_MS)}`)).toMatchObject([
      { time: '2026-09-18T04:00:00Z' },
    ]);
    expect(provider.calls.total).toBe(0);
  });

  it('is a sample if that is nearer, and marked as sampled', async () => {
    putDays(s3, ID, daysBefore(TODAY, 400));
    putExact(s3, TODAY, { [ID]: [exact(0), exact(1)] });
    putSamples(s3, TODAY + 70 * MINUTE_MS, { [ID]: 7 });
    putHours(s3, TODAY, {
      [ID]: [storedCandle(TODAY + 4 * HOUR_MS, HOUR_MS, 1, { close: 9, samples: 1, lastAt: NOW - 60_000 })],
    });
    await coldStart();

    expect(await pricesOf('at=2026-09-18T01:15:00Z')).toMatchObject([
      { price: 7, time: '2026-09-18T01:10:00Z', quality: 'sampled', source: 'coinpaprika' },
    ]);
    expect(await pricesOf(`at=${seconds(NOW)}`)).toMatchObject([
      { price: 9, time: seconds(NOW - 60_000), quality: 'sampled', source: 'coinpaprika' },
    ]);
  });
});

describe('an instant without a known price', () => {
  it('is a 404 that names its neighbours', async () => {
    const end = TODAY - 400 * DAY_MS;
    putDays(s3, ID, [
      storedCandle(end - DAY_MS, DAY_MS, 1, { close: 11, lastAt: end }),
      storedCandle(end + 9 * DAY_MS, DAY_MS, 1, { close: 12, lastAt: end + 10 * DAY_MS }),
    ]);
    await coldStart();

    expect(await ask(`at=${at(end + 2 * DAY_MS)}`)).toEqual({
      status: 404,
      headers: refusalHeaders(100),
      body: failure(
        `No price of ${ID} is known within 86400 s before ${seconds(end + 2 * DAY_MS)}; ` +
          `the nearest known before: 11 at ${seconds(end)}, after: 12 at ${seconds(end + 10 * DAY_MS)}`,
      ),
    });
    expect(provider.calls.total).toBe(0);
  });

  it('says so if no price is known at all', async () => {
    await coldStart();
    const { status, body } = await ask('at=2014-01-01');
    expect([status, body]).toEqual([
      404,
      failure(`No price of ${ID} is known within 86400 s before 2014-01-01T00:00:00Z; none is known`),
    ]);
    expect(provider.calls.total).toBe(0);
  });
});

describe('a price that is not stored', () => {
  it('is fetched once for a whole list, and not served before its day has ended', async () => {
    await coldStart();
    const { handler: ticker } = await import('../ticker/handler.ts');
    const known = await call(ticker, {
      path: `/api/marketdata/ticker/${ID}`,
      pathParameters: { id: ID },
    });
    provider.calls.reset();
    const days = Array.from({ length: 100 }, (_, day) => TODAY - day * 3 * DAY_MS);

    const prices = await pricesOf(`at=${days.map(seconds).join(',')}`);

    expect(prices.map((price) => price?.time)).toEqual(days.map(seconds));
    expect(provider.calls.total).toBe(1);
    expect(await pricesOf('at=2026-09-17T23:59:59Z')).toMatchObject([
      { time: '2026-09-17T00:00:00Z', source: 'simulated', quality: 'exact' },
    ]);
    const madeAt = Date.parse(String(known.headers['x-data-time']));
    expect(await pricesOf(`at=${seconds(NOW)}`)).toMatchObject([{ time: seconds(madeAt) }]);
    expect(provider.calls.total).toBe(1);
  });

  it('is not fetched if no day has ended in the time before the instant, or the provider has none', async () => {
    putDays(s3, 'eth-ethereum', daysBefore(TODAY, 3), { from: TODAY - 365 * DAY_MS, to: TODAY });
    await coldStart();

    expect((await ask('at=2026-09-10T12:00:00Z&within=3600')).status).toBe(404);
    expect((await ask('at=2026-09-10', 'eth-ethereum')).status).toBe(404);
    expect((await ask('at=2020-01-01')).status).toBe(404);
    expect(provider.calls.total).toBe(0);
  });

  it('is a 502 for one instant while the provider fails, and a stale null in a list', async () => {
    putDays(s3, ID, daysBefore(TODAY - 10 * DAY_MS, 3));
    await coldStart();
    provider.setFault('status=500');

    expect(await ask('at=2026-09-17')).toMatchObject({ status: 502 });
    const { status, headers, body } = await ask(`at=2026-09-17,${seconds(TODAY - 10 * DAY_MS)}`);
    expect([status, body]).toMatchObject([200, { data: { data: [null, { price: expect.any(Number) }] } }]);
    expect(headers).toMatchObject({ 'x-data-quality': 'stale', 'cache-control': publicFor(0) });
  });

  it('is a 404 for a coin that the provider does not know, unless data of it is stored', async () => {
    await coldStart();
    provider.setFault('status=404');
    expect(await ask('at=2026-09-16,2026-09-17')).toMatchObject({ status: 404 });

    putDays(s3, ID, daysBefore(TODAY - 10 * DAY_MS, 3));
    await coldStart();
    const { status, body } = await ask(`at=2026-09-17,${seconds(TODAY - 10 * DAY_MS)}`);
    expect([status, body]).toMatchObject([200, { data: { data: [null, { price: expect.any(Number) }] } }]);
  });
});

describe('a store that fails', () => {
  it('leaves the provider’s closes, marked stale', async () => {
    await coldStart();
    await s3.close();
    const { status, headers } = await ask('at=2026-09-10T12:00:00Z');
    expect([status, headers['x-data-quality']]).toEqual([200, 'stale']);
  });

  it('in one object leaves the others', async () => {
    putSamples(s3, TODAY + 10 * MINUTE_MS, { [ID]: 101 });
    s3.objects.get(objectPath(objectNames.samples(TODAY + 10 * MINUTE_MS, 600_000)))?.fill(7, 70);
    putHours(s3, TODAY, { [ID]: [hour(TODAY, 55)] });
    putDays(s3, ID, daysBefore(TODAY, 40));
    await coldStart();
    expect(await pricesOf('at=2026-09-18T00:15:00Z')).toMatchObject([{ time: '2026-09-18T00:00:00Z' }]);
    expect(await pricesOf('at=2026-09-18T01:15:00Z')).toMatchObject([{ price: 55 }]);
  });
});

describe('a refusal', () => {
  it.each([
    [
      'at=2026-01-01,2026-09-19',
      'Invalid parameter at, number 2: "2026-09-19"; allowed: a time that is not in the future',
    ],
    [
      `at=${seconds(NOW + 61_000)}`,
      `Invalid parameter at: "${seconds(NOW + 61_000)}"; allowed: a time that is not in the future`,
    ],
    [
      `at=${Array(101).fill('2026-01-01').join(',')}`,
      'Invalid parameter at: 101 items; allowed: 1 to 100, separated by commas',
    ],
  ])('is a 400 without a request upstream: %s', async (query, text) => {
    await coldStart();
    expect(await ask(query)).toEqual({ status: 400, headers: refusalHeaders(100), body: failure(text) });
    expect([provider.calls.total, s3.requests]).toEqual([0, []]);
  });

  it('does not occur if a client’s clock is a little ahead', async () => {
    putSamples(s3, NOW - 13 * MINUTE_MS, { [ID]: 101 });
    putDays(s3, ID, daysBefore(TODAY, 40));
    await coldStart();
    expect(await pricesOf(`at=${seconds(NOW + 59_000)}&within=1000`)).toMatchObject([{ price: 101 }]);
  });
});
