import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { SimulatedSource } from '../../local/simulated/index.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { askForChart, type Candle, coldStart } from './chart.ts';
import {
  BUCKET,
  DAY_MS,
  daysBefore,
  exactCandle,
  HOUR_MS,
  MINUTE_MS,
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
const ETH = 'eth-ethereum';

const world = useWorld({ now: NOW, plan: 'free' });
let s3: S3Server;
let provider: SimulatedSource;
let handler: LambdaHandler;
beforeEach(() => {
  ({ s3, provider } = world());
  vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
});

async function ask(query: string, id = ETH) {
  const { headers, body } = await askForChart(handler, id, query);
  const { data } = body as { data: { data: Candle[] } }; // as the route's own tests check
  return { headers, candles: data.data };
}

/** A snapshot with a price and sampled hours, taken some minutes ago. */
function publishSnapshot(price: number, hours: readonly StoredCandle[], minutesAgo = 2): void {
  const takenAt = Date.now() - minutesAgo * MINUTE_MS;
  putSnapshot(s3, { tickers: [tickerOf(ETH, price, takenAt)], takenAt, hours: new Map([[ETH, hours]]) });
}

const exactDays = (count: number) =>
  Array.from({ length: count }, (_, day) =>
    exactCandle(TODAY - (count - day) * DAY_MS, DAY_MS, 100 + day, { volume: 1000, market_cap: 5000 }),
  );
/** Up to six minutes ago. */
const exactHours = () =>
  Array.from({ length: 5 }, (_, hour) => {
    const opensAt = TODAY + hour * HOUR_MS;
    const lastAt = Math.min(opensAt + HOUR_MS, NOW - 6 * MINUTE_MS);
    return exactCandle(opensAt, HOUR_MS, 200 + hour, { lastAt });
  });
const sampledHours = (...hours: number[]) =>
  hours.map((hour) => storedCandle(TODAY + hour * HOUR_MS, HOUR_MS, 200 + hour, { source: 'simulated' }));
/** As a snapshot of two minutes ago has them, with its price as the last one. */
const late = () => {
  const [before, running] = sampledHours(3, 4);
  if (!before || !running) throw new Error('There are two hours');
  return [before, { ...running, close: 230, lastAt: NOW - 2 * MINUTE_MS }];
};

describe('a chart of a coin that exchanges trade', () => {
  it('is of exact candles with wicks, the running one included, and says from where', async () => {
    putDays(s3, ETH, exactDays(60));
    putExact(s3, TODAY, { [ETH]: exactHours() });
    publishSnapshot(230, late());
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=30');

    expect(candles).toHaveLength(30);
    expect(candles.map(({ quality }) => quality)).toEqual(Array(30).fill('exact'));
    for (const { open, high, low, close } of candles) {
      expect(high).toBeGreaterThan(Math.max(open, close));
      expect(low).toBeLessThan(Math.min(open, close));
    }
    expect(candles.at(-2)).toMatchObject({ source: 'coinbase', volume: 1000 });
    expect(candles.at(-1)).toMatchObject({
      open: 200,
      high: 204 * 1.2,
      low: 180,
      close: 230,
      volume: 1000,
      market_cap: 5000,
      source: 'coinbase,simulated',
    });
    expect(headers).toMatchObject({
      'x-data-quality': 'exact',
      'x-data-source': 'coinbase,simulated',
      'x-data-time': new Date(NOW - 2 * MINUTE_MS).toISOString(),
    });
    expect(provider.calls.total).toBe(0);
    // Where the days are, and the coin's own; where the hours are is read at init.
    expect(s3.requests.sort()).toEqual([
      `GET ${objectPath(objectNames.exact(TODAY))}`,
      `GET ${objectPath(objectNames.series('24h', ETH, TODAY))}`,
      `GET ${objectPath(objectNames.series('24h', ETH, TODAY))}`,
    ]);
    await ask('interval=7d&limit=5');
    expect(s3.requests).toHaveLength(3);
  });

  it('of days that are over has one source', async () => {
    putDays(s3, ETH, exactDays(60));
    handler = await coldStart(s3);
    const { headers } = await ask('limit=30&end=2026-09-17');
    expect(headers).toMatchObject({ 'x-data-quality': 'exact', 'x-data-source': 'coinbase' });
  });

  it('looks for the running hour again after ten minutes', async () => {
    putDays(s3, ETH, exactDays(60));
    putExact(s3, TODAY, { [ETH]: exactHours() });
    publishSnapshot(230, late());
    handler = await coldStart(s3);
    await ask('limit=2');

    const newer = exactHours().with(
      4,
      exactCandle(TODAY + 4 * HOUR_MS, HOUR_MS, 500, { lastAt: NOW + 9 * MINUTE_MS }),
    );
    putExact(s3, TODAY, { [ETH]: newer, another: exactHours() });
    s3.requests.length = 0;
    vi.setSystemTime(NOW + 9 * MINUTE_MS);
    await ask('limit=2');
    expect(s3.requests.filter((path) => path.includes('exact'))).toEqual([]);
    vi.setSystemTime(NOW + 10 * MINUTE_MS);
    expect((await ask('limit=2')).candles.at(-1)?.high).toBe(600);
  });

  it('reads sampled hours for those that exchanges do not have, and is no better then', async () => {
    putDays(s3, ETH, exactDays(60));
    putExact(s3, TODAY, { [ETH]: exactHours().toSpliced(1, 1) });
    putHours(s3, TODAY, { [ETH]: sampledHours(0, 1, 2) });
    publishSnapshot(230, late());
    handler = await coldStart(s3);

    const { candles, headers } = await ask('limit=2');
    expect(candles.map(({ quality }) => quality)).toEqual(['exact', 'sampled']);
    expect(headers['x-data-quality']).toBe('sampled');
    expect(s3.requests).toHaveLength(4);
    const hours = (await ask('interval=1h&limit=5')).candles;
    expect(hours.map(({ quality, source }) => [quality, source])).toEqual([
      ['exact', 'coinbase'],
      ['sampled', 'simulated'],
      ['exact', 'coinbase'],
      ['exact', 'coinbase'],
      ['exact', 'coinbase,simulated'],
    ]);
  });

  it('of hours is exact, with the volume of none that is known for 24 hours only', async () => {
    const month = Date.UTC(2026, 8, 1);
    const hours = Array.from({ length: 17 * 24 }, (_, hour) =>
      exactCandle(month + hour * HOUR_MS, HOUR_MS, 100 + hour, { market_cap: 7 }),
    );
    putMonth(s3, ETH, hours);
    putExact(s3, TODAY, { [ETH]: exactHours() });
    publishSnapshot(230, late());
    handler = await coldStart(s3);

    const { candles, headers } = await ask('interval=1h&limit=30');
    expect(candles).toHaveLength(30);
    expect(headers['x-data-quality']).toBe('exact');
    expect(candles.map(({ volume }) => volume)).toEqual(Array(30).fill(null));
    expect(candles.at(0)?.market_cap).toBe(7);
    expect(candles.at(-2)?.market_cap).toBe(5000);
    expect(provider.calls.total).toBe(0);
  });

  it('in bitcoin stays derived', async () => {
    for (const id of [ETH, 'btc-bitcoin']) putDays(s3, id, exactDays(60));
    handler = await coldStart(s3);
    const { candles } = await ask('quote=btc&limit=10&end=2026-09-17');
    expect(candles.map(({ quality, source }) => [quality, source])).toEqual(
      Array(10).fill(['derived', 'coinbase']),
    );
  });

  it('is no better than its samples once exchanges have said nothing for half an hour', async () => {
    putDays(s3, ETH, exactDays(60));
    const silent = NOW - 40 * MINUTE_MS;
    const hours = exactHours().slice(0, 4);
    putExact(s3, TODAY, { [ETH]: hours.with(3, { ...(hours[3] as StoredCandle), lastAt: silent }) });
    putHours(s3, TODAY, { [ETH]: sampledHours(0, 1, 2) });
    publishSnapshot(230, late());
    handler = await coldStart(s3);
    const { candles } = await ask('limit=2');
    expect(candles.at(-1)).toMatchObject({ quality: 'sampled', open: 200, close: 230 });
  });

  it('of a coin that is mapped no more goes on from samples', async () => {
    putDays(s3, ETH, exactDays(60));
    putExact(s3, TODAY, { [ETH]: exactHours().slice(0, 2) });
    putHours(s3, TODAY, { [ETH]: sampledHours(0, 1, 2) });
    publishSnapshot(230, late());
    handler = await coldStart(s3);
    const { candles } = await ask('interval=1h&limit=5');
    expect(candles.map(({ quality }) => quality)).toEqual([
      'exact',
      'exact',
      'sampled',
      'sampled',
      'sampled',
    ]);
  });
});

describe('a chart of a coin that no exchange trades', () => {
  it('takes the same reads as without exchanges', async () => {
    putDays(s3, ETH, daysBefore(TODAY, 60));
    putExact(s3, TODAY, { 'btc-bitcoin': exactHours() });
    putHours(s3, TODAY, { [ETH]: sampledHours(0, 1, 2) });
    publishSnapshot(230, late());
    handler = await coldStart(s3);

    const { headers } = await ask('limit=30');
    expect(headers['x-data-quality']).toBe('sampled');
    expect(s3.requests.sort()).toEqual([
      `GET ${objectPath(objectNames.hours(TODAY))}`,
      `GET ${objectPath(objectNames.series('24h', ETH, TODAY))}`,
      `GET ${objectPath(objectNames.series('24h', ETH, TODAY))}`,
    ]);
  });
});
