/** Charts of a provider whose rows end too early or are another coin's. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { startSimulated } from '../../local/simulated/index.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { coinOf } from '../batch/world.ts';
import { call } from '../pipeline/event.ts';
import { type Loopback, startLoopback } from '../pipeline/loopback.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { objectPath, putDays, putSnapshot, storedCandle } from './stored.ts';
import { startCold, TODAY, useWorld } from './world.ts';

const NOW = TODAY + 4 * HOUR_MS + 10 * MINUTE_MS;
const ID = 'eth-ethereum';
const world = useWorld({ now: NOW, plan: 'free' });

interface Row {
  readonly time_open?: string;
  readonly time_close?: string;
  readonly timestamp?: string;
}
interface Candle {
  readonly time_open: string;
  readonly time_close: string;
  readonly open: number;
  readonly close: number;
}
type Change = (rows: readonly Row[], path: string) => readonly Row[];

let front: Loopback;
let change: Change;
/** The text of the provider's refusal of a path; undefined: none. */
let refusalOf: (path: string) => string | undefined;
/** Whether the provider does not know what a path asks for. */
let isUnknown: (path: string) => boolean;
let handler: LambdaHandler;
beforeEach(() => {
  change = (rows) => rows;
  refusalOf = () => undefined;
  isUnknown = () => false;
});
afterEach(() => front.close());

/** A cold start with a provider whose histories a proxy changes. */
async function startWith(plan: 'free' | 'paid'): Promise<void> {
  const provider = (await startSimulated({ plan })).provider;
  front = await startLoopback(async (request, response) => {
    const refusal = refusalOf(request.url ?? '');
    if (refusal !== undefined)
      return response
        .writeHead(402, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: refusal }));
    if (isUnknown(request.url ?? ''))
      return response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"id not found"}');
    const answer = await fetch(provider.url + request.url).catch(() => undefined);
    // A second chart may still be running when the first one was refused and the test is over.
    if (!answer) return response.destroy();
    const body: unknown = await answer.json();
    const rows = Array.isArray(body) && answer.ok ? change(body, request.url ?? '') : body;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(rows));
  });
  const { close } = front;
  front.close = async () => {
    await close();
    await provider.close();
  };
  vi.stubEnv('COINPAPRIKA_BASE_URL', front.url);
  vi.stubEnv('COINPAPRIKA_PLAN', plan === 'paid' ? 'ultimate' : 'free');
  vi.stubEnv('STALE_WAIT_MS', '8000');
  handler = await startCold(world().s3, () => import('../../functions/marketdata/ohlcv/handler.ts'));
}

async function chart(query: string, id = ID) {
  const path = `/api/marketdata/ohlcv/${id}`;
  const { status, headers, body } = await call(handler, { path, pathParameters: { id }, query });
  const { data } = body as { data?: { data: Candle[] } };
  return { status, headers, body, candles: data?.data ?? [] };
}

const ticker = async (id = ID) => {
  const { handler: ask } = await import('../../functions/marketdata/ticker/handler.ts');
  return call(ask, { path: `/api/marketdata/ticker/${id}`, pathParameters: { id } });
};

const startOf = ({ time_open, timestamp }: Row) => Date.parse(time_open ?? timestamp ?? '');
const until =
  (end: number): Change =>
  (rows) =>
    rows.filter((row) => startOf(row) < end);
const kinds = [
  ['of the provider’s days', 'paid', '24h', DAY_MS],
  ['of derived hours', 'free', '1h', HOUR_MS],
] as const;

describe.each(kinds)('a chart %s', (_which, plan, interval, stepMs) => {
  const running = NOW - (NOW % stepMs);

  it('is in UTC, and has the time of its newest candle, which never closes after the data were made', async () => {
    await startWith(plan);
    await ticker();
    const zone = interval === '1h' ? '' : '+00:00'; // which the provider writes instead of Z
    change = (rows) =>
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'string' ? value.replace(/Z$/, zone) : value,
          ]),
        ),
      );
    const { headers, candles } = await chart(`interval=${interval}&limit=5`);

    const times = candles.flatMap(({ time_open, time_close }) => [time_open, time_close]);
    expect(times).toHaveLength(10);
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const last = candles.at(-1);
    expect(Date.parse(last?.time_open ?? '')).toBe(running);
    expect(Date.parse(last?.time_close ?? '')).toBeLessThanOrEqual(NOW);
    expect(headers['x-data-time']).toBe(new Date(last?.time_close ?? '').toISOString());
    expect(headers['x-data-quality']).toBe(plan === 'paid' ? 'exact' : 'derived');
  });

  it('that ends before its window is stale, also if its running candle is made of the price now', async () => {
    await startWith(plan);
    const known = await ticker();
    const end = running - 3 * stepMs;
    change = until(end);

    const { status, headers, candles } = await chart(`interval=${interval}&limit=8`);

    expect([status, candles.length]).toEqual([200, 5]);
    expect(Date.parse(candles.at(-2)?.time_close ?? '')).toBe(end - 1000);
    expect(headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': known.headers['x-data-time'],
      'cache-control': publicFor(0),
    });
  });

  it('that lacks only the candle that has just begun is not stale: that is made of the price now', async () => {
    vi.setSystemTime(TODAY + MINUTE_MS);
    await startWith(plan);
    const known = await ticker();
    change = until(TODAY);

    const { headers } = await chart(`interval=${interval}&limit=5`);

    expect(headers).toMatchObject({
      'x-data-quality': 'derived',
      'x-data-time': known.headers['x-data-time'],
    });
  });
});

describe('a stored chart', () => {
  it('is stale if the store wrongly covers the missing days', async () => {
    const days = [5, 4, 3].map((day) => storedCandle(TODAY - day * DAY_MS, DAY_MS, 3000));
    putDays(world().s3, ID, days, { from: TODAY - 300 * DAY_MS, to: TODAY });
    vi.setSystemTime(TODAY + HOUR_MS);
    await startWith('free');

    const { headers, candles } = await chart('limit=12');

    expect(candles).toHaveLength(3);
    expect(headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': new Date(TODAY - 2 * DAY_MS).toISOString(),
    });
  });
});

describe('a price of the past', () => {
  it('is stale, with its own time, if the provider’s days end before the instant', async () => {
    await startWith('free');
    change = until(TODAY - 4 * DAY_MS);
    handler = await startCold(world().s3, () => import('../../functions/marketdata/price/handler.ts'));
    const query = `at=${new Date(TODAY - DAY_MS).toISOString()}&within=864000`;

    const path = `/api/marketdata/price/${ID}`;
    const { status, headers } = await call(handler, { path, pathParameters: { id: ID }, query });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': new Date(TODAY - 4 * DAY_MS).toISOString(),
    });
  });
});

describe('the sparkline of a coin', () => {
  it('that ends days before the snapshot is stale, with the time of its last close', async () => {
    const days = [6, 5, 4].map((day) => storedCandle(TODAY - day * DAY_MS, DAY_MS, 3000));
    putDays(world().s3, ID, days, { from: TODAY - 300 * DAY_MS, to: TODAY });
    putSnapshot(world().s3, {});
    vi.stubEnv('SNAPSHOT_BUCKET', 'bucket');
    await startWith('free');
    handler = await startCold(world().s3, () => import('../../functions/marketdata/sparklines/handler.ts'));

    const { status, headers } = await call(handler, {
      path: '/api/marketdata/sparklines',
      query: `ids=${ID}`,
    });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'x-data-quality': 'stale',
      'x-data-time': new Date(TODAY - 3 * DAY_MS).toISOString(),
      'cache-control': publicFor(0),
    });
  });
});

describe('a first chart of another coin', () => {
  const isChart = (path: string) => path.includes('/historical');
  const charts = () => front.requests.filter(isChart).length;
  /** Prices a thousand times too high, in candles and in price histories. */
  const scaled: Change = (rows) =>
    rows.map((row) => {
      const prices = ['open', 'high', 'low', 'close', 'price'];
      const figures = Object.entries(row as Record<string, unknown>);
      const higher = figures.map(([name, value]) => [
        name,
        prices.includes(name) ? Number(value) * 1000 : value,
      ]);
      return Object.fromEntries(higher) as Row;
    });
  describe.each(kinds)('%s', (_which, plan, interval) => {
    const query = `interval=${interval}&limit=4`;

    it('is refused if a ticker is known, in bitcoin too', async () => {
      await startWith(plan);
      for (const id of [ID, 'btc-bitcoin']) expect(await ticker(id)).toMatchObject({ status: 200 });
      change = scaled;

      expect(await chart(query)).toMatchObject({
        status: 502,
        body: { error: expect.stringMatching(/implausible answer: a price of \d+.*, where it is/) },
      });
      expect(await chart(`${query}&quote=btc`)).toMatchObject({ status: 502 });
      change = (rows) => rows;
      vi.setSystemTime(NOW + 2 * MINUTE_MS);
      expect((await chart(query)).headers['x-data-quality']).toBe(plan === 'paid' ? 'exact' : 'derived');
    });

    it('is not exact without a known ticker, and is dropped when one is known', async () => {
      await startWith(plan);
      change = scaled;
      const first = await chart(query);
      expect([first.status, first.headers['x-data-quality']]).toEqual([200, 'derived']);
      const asked = charts();
      await chart(query);
      expect(charts()).toBe(asked);

      await ticker();
      vi.setSystemTime(NOW + MINUTE_MS);
      const refused = await chart(query);
      expect([refused.status, charts()]).toEqual([502, asked + 1]);
      change = (rows) => rows;
      vi.setSystemTime(NOW + 2 * MINUTE_MS);
      const mended = await chart(query);

      expect([mended.status, charts()]).toEqual([200, asked + 2]);
      expect(mended.headers['x-data-quality']).toBe(plan === 'paid' ? 'exact' : 'derived');
      expect(mended.candles.at(-1)?.close).toBeLessThan(first.candles.at(-1)?.close ?? 0);
    });

    it('is refused if it contradicts a price that was stored a day ago', async () => {
      const yesterday = TODAY - DAY_MS;
      await startWith(plan);
      await chart(query);
      const close = (await chart('limit=2')).candles[0]?.close ?? 0;
      world().s3.objects.delete(objectPath(objectNames.coin(ID)));
      putDays(world().s3, ID, [storedCandle(yesterday, DAY_MS, close, { close })]);
      await front.close();
      await startWith(plan);
      change = scaled;

      const { status, candles, headers } = await chart(query);

      expect([status, headers['x-data-quality']]).toEqual([200, 'stale']);
      expect(candles.map((candle) => candle.close)).toEqual([close]);
    });
  });

  it('is refused if it contradicts the coin’s ticker in the snapshot', async () => {
    await startWith('paid');
    const { candles } = await chart('limit=1');
    world().s3.objects.delete(objectPath(objectNames.coin(ID)));
    vi.stubEnv('SNAPSHOT_BUCKET', 'bucket');
    putSnapshot(world().s3, { tickers: [tickerOf(ID, candles[0]?.close ?? 0)] });
    await front.close();
    await startWith('paid');
    change = scaled;
    expect(await chart('limit=4')).toMatchObject({ status: 502 });
  });
});

describe('a plan that refuses documented data', () => {
  const refused = `Getting historical OHLCV data before 2020-01-01 00:00:00 +0000 UTC is not allowed in this plan.`;

  it('leaves the coin with derived candles, and all others as they are', async () => {
    await startWith('paid');
    refusalOf = (path) => (path.startsWith(`/coins/${ID}/ohlcv`) ? refused : undefined);
    await ticker();
    await ticker('btc-bitcoin');

    const made = await chart('limit=5');
    const other = await chart('limit=5', 'btc-bitcoin');

    expect([made.status, made.headers['x-data-quality'], made.candles.length]).toEqual([200, 'derived', 5]);
    expect([other.status, other.headers['x-data-quality']]).toEqual([200, 'exact']);
  });
});

describe('a coin whose history the provider does not know', () => {
  it.each([
    ['a minute without a registry', 1, []],
    ['an hour if the registry lists it', 60, [coinOf(ID)]],
  ])(
    'costs what one chart costs for %s, whatever windows are requested, in new containers too',
    async (_what, minutes, coins) => {
      const registry = mkdtempSync(join(inject('runFolder'), 'charts-registry-'));
      if (coins.length > 0) await writeRegistry(registry, buildRegistry(coins, { source: 'test' }));
      vi.stubEnv('REGISTRY_PATH', registry);
      await startWith('free');
      isUnknown = (path) => /\/(historical|ohlcv)/.test(path);
      const paid = () => front.requests.filter(isUnknown).length;
      expect((await chart('limit=10')).status).toBe(404);
      const first = paid();
      expect(first).toBeGreaterThan(0);

      for (const part of [0.2, 0.5, 0.9]) {
        vi.setSystemTime(NOW + part * minutes * MINUTE_MS);
        for (const query of ['limit=5', 'limit=30', 'interval=7d&limit=4'])
          expect((await chart(query)).status).toBe(404);
        handler = await startCold(world().s3, () => import('../../functions/marketdata/ohlcv/handler.ts'));
      }
      expect(paid()).toBe(first);
      vi.setSystemTime(NOW + (minutes + 1) * MINUTE_MS);
      await chart('limit=5');
      expect(paid()).toBeGreaterThan(first);
    },
  );
});
