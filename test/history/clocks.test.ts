/** Midnights, ends of years, late runs and stores that do not answer: what is known until when decides what is shown. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { SimulatedSource } from '../../local/simulated/index.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { openCandles } from '../../shared/marketdata/store/candle-files.ts';
import { encodeCandles } from '../../shared/marketdata/store/candle-files-writer.ts';
import { objectNames, shardOf } from '../../shared/marketdata/store/names.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { call } from '../pipeline/event.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { type Candle, coldStart, fetchChart } from './chart.ts';
import {
  BUCKET,
  daysBefore,
  exactCandle,
  objectPath,
  putCoin,
  putDays,
  putExact,
  putHours,
  putMonth,
  putSnapshot,
  storedCandle,
} from './stored.ts';
import { startCold, TODAY, useWorld } from './world.ts';

const ETH = 'eth-ethereum';
const world = useWorld({ now: TODAY, plan: 'free' });
let s3: S3Server;
let provider: SimulatedSource;
beforeEach(() => {
  ({ s3, provider } = world());
});

async function chart(handler: LambdaHandler, query: string) {
  const { status, headers, body } = await fetchChart(handler, ETH, query);
  const { data } = status === 200 ? (body as { data: { data: Candle[] } }).data : { data: [] }; // as the route's own tests check
  return { status, quality: headers['x-data-quality'], candles: data };
}

interface Price {
  readonly price: number;
  readonly time: string;
  readonly quality: string;
}

const priceFunction = () => startCold(s3, () => import('../../functions/marketdata/price/handler.ts'));

async function prices(handler: LambdaHandler, at: readonly string[], query = '', id = ETH) {
  const { status, body } = await call(handler, {
    path: `/api/marketdata/price/${id}`,
    pathParameters: { id },
    query: `at=${at.join(',')}${query}`,
  });
  const { data, error } = body as { data?: { data: (Price | null)[] }; error?: string }; // as the route's own tests check
  return { status, prices: data?.data ?? [], error };
}

describe('data that ends at 20:00', () => {
  const END = TODAY + 20 * HOUR_MS;
  const hours = Array.from({ length: 20 }, (_, hour) => storedCandle(TODAY + hour * HOUR_MS, HOUR_MS, 100));
  /** Hours after the beginning of its day. */
  const moments = [20.5, 21.5, 22.5, 23, 24.01, 24.5, 25, 26.2, 27, 30, 36, 40];

  it.each(['before its day is merged', 'after that'])(
    'is stale from 22:00 on, and is never fresh again: %s',
    async (when) => {
      await provider.close();
      putDays(s3, ETH, daysBefore(TODAY, 60));
      putHours(s3, TODAY, { [ETH]: hours });
      for (const hour of moments) {
        const now = TODAY + hour * HOUR_MS;
        vi.setSystemTime(now);
        if (when === 'after that' && hour > 24.4)
          putDays(s3, ETH, [
            storedCandle(TODAY, DAY_MS, 100, { samples: 120, lastAt: END, isSettled: true }),
          ]);
        const { quality } = await chart(await coldStart(s3), 'limit=10');
        expect([hour, quality]).toEqual([hour, hour < 22 ? 'sampled' : 'stale']);
      }
    },
  );
});

describe('a kept container', () => {
  it('shows what a roll-up adds to a past year some minutes after midnight, and late ones', async () => {
    await provider.close();
    const newYear = Date.UTC(2027, 0, 1);
    for (const lateMs of [36 * MINUTE_MS, 5 * HOUR_MS, 30 * HOUR_MS]) {
      vi.setSystemTime(newYear - HOUR_MS);
      for (const path of [...s3.objects.keys()]) s3.objects.delete(path);
      putDays(s3, ETH, daysBefore(newYear - DAY_MS, 100));
      mergedThrough(newYear - DAY_MS);
      const handler = await coldStart(s3);
      vi.setSystemTime(newYear + 5 * MINUTE_MS);
      const query = 'start=2026-12-30&end=2026-12-31';
      expect((await chart(handler, query)).candles).toHaveLength(1);

      vi.setSystemTime(newYear + lateMs);
      putDays(s3, ETH, [exactCandle(newYear - DAY_MS, DAY_MS, 777)]);
      vi.setSystemTime(newYear + lateMs + MINUTE_MS);
      expect((await chart(handler, query)).candles.map(({ open }) => open)).toEqual([199, 777]);
    }
  });

  /** The shard of 2026 as it is while its last days are not merged. */
  function mergedThrough(time: number): void {
    const path = objectPath(objectNames.series('24h', ETH, Date.UTC(2026, 11)));
    const file = s3.objects.get(path);
    if (!file) throw new Error('no shard');
    const { rows, ...about } = openCandles(file);
    s3.objects.set(path, encodeCandles({ ...about, time }, rows.entries()));
  }
});

describe('a chart of 24 hours', () => {
  it('has all of them at any time of a day, with hours in the shard, the two days’ files and the coin’s object', async () => {
    await provider.close();
    const month = Array.from({ length: 16 * 24 }, (_, hour) =>
      storedCandle(Date.UTC(2026, 8, 1) + hour * HOUR_MS, HOUR_MS, 100),
    );
    putMonth(s3, ETH, month);
    const dayOf = (day: number) => Array.from({ length: 24 }, (_, hour) => day + hour * HOUR_MS);
    const yesterday = TODAY - DAY_MS;
    putHours(s3, yesterday, { [ETH]: dayOf(yesterday).map((time) => storedCandle(time, HOUR_MS, 100)) });
    for (let hour = 0; hour < 24; hour += 1) {
      const now = TODAY + hour * HOUR_MS + 42 * MINUTE_MS;
      vi.setSystemTime(now);
      const until = dayOf(TODAY).filter((time) => time <= now);
      putHours(s3, TODAY, { [ETH]: until.slice(0, -1).map((time) => storedCandle(time, HOUR_MS, 100)) });
      putExact(s3, TODAY, {
        [ETH]: until.map((time) =>
          exactCandle(time, HOUR_MS, 101, { lastAt: Math.min(time + HOUR_MS, now - MINUTE_MS) }),
        ),
      });
      // What was fetched for the coin ends in the middle of the day.
      const fetched = until.slice(0, 3).map((time) => exactCandle(time, HOUR_MS, 101));
      putCoin(s3, ETH, { '1h': { candles: fetched, coverage: undefined } });
      const { candles, status } = await chart(await coldStart(s3), 'interval=1h&limit=24');
      expect([hour, status, candles.length]).toEqual([hour, 200, 24]);
    }
  });
});

describe('an hour that has just closed', () => {
  it.each([1, 3, 8, 14, 29, 31])(
    'is shown as far as it is known, and costs no request until exchanges are asked again: after %i minutes',
    async (minutes) => {
      const closed = TODAY + 5 * HOUR_MS;
      vi.setSystemTime(closed + minutes * MINUTE_MS);
      const month = Array.from({ length: 17 * 24 }, (_, hour) =>
        exactCandle(Date.UTC(2026, 8, 1) + hour * HOUR_MS, HOUR_MS, 100),
      );
      putMonth(s3, ETH, month);
      putDays(s3, ETH, [...daysBefore(TODAY, 60)]);
      const today = Array.from({ length: 5 }, (_, hour) =>
        exactCandle(TODAY + hour * HOUR_MS, HOUR_MS, 100, {
          lastAt: Math.min(TODAY + (hour + 1) * HOUR_MS, closed - 7 * MINUTE_MS),
        }),
      );
      putExact(s3, TODAY, { [ETH]: today });
      const takenAt = closed - 8 * MINUTE_MS;
      const running = storedCandle(closed - HOUR_MS, HOUR_MS, 100, { lastAt: takenAt });
      vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
      putSnapshot(s3, {
        tickers: [tickerOf(ETH, 100, takenAt)],
        takenAt,
        hours: new Map([[ETH, [running]]]),
      });
      const handler = await coldStart(s3);
      for (const query of ['interval=1h&limit=24', 'limit=30']) {
        const { status, quality } = await chart(handler, query);
        expect([query, status, quality]).toEqual([query, 200, expect.not.stringMatching('stale')]);
      }
      expect(provider.calls.total).toBe(0);
    },
  );
});

describe('a past price', () => {
  it('is the same alone and in a list of 23 months', async () => {
    const months = Array.from({ length: 23 }, (_, index) => Date.UTC(2026, 7 - index, 15, 12));
    for (const noon of months) {
      putDays(s3, ETH, [
        storedCandle(noon - 1.5 * DAY_MS, DAY_MS, 50),
        storedCandle(noon - DAY_MS / 2, DAY_MS, 60),
      ]);
      putMonth(s3, ETH, [storedCandle(noon - HOUR_MS, HOUR_MS, 70)]);
    }
    const at = months.map((time) => new Date(time).toISOString());
    const list = await prices(await priceFunction(), at);
    expect(list.prices.map((one) => one?.time)).toEqual(at.map((time) => `${time.slice(0, 19)}Z`));
    const alone = await Promise.all(
      [0, 11, 22].map(async (index) => (await prices(await priceFunction(), [at[index] ?? ''])).prices[0]),
    );
    expect(alone).toEqual([0, 11, 22].map((index) => list.prices[index]));
    expect(provider.calls.total).toBe(0);
  });

  it('is a 503 while the store cannot be read and the provider knows none, and no 404', async () => {
    // After the minutes in which the quota rests.
    vi.setSystemTime(TODAY + 6 * HOUR_MS);
    const handler = await priceFunction();
    await s3.close();
    await provider.close();
    const { status, error } = await prices(handler, ['2026-03-01T12:00:00Z']);
    expect([status, error]).toEqual([
      expect.toBeOneOf([502, 503]),
      expect.not.stringContaining('none is known'),
    ]);
  });
});

describe('once its tables are held', () => {
  it('a chart of 366 days of a listed coin costs at most four reads, and a hundred instants of two years at most 40', async () => {
    const other = Array.from({ length: 1000 }, (_, index) => `coin-${index}`).find(
      (id) => shardOf(id) === shardOf(ETH),
    );
    for (const id of [ETH, other ?? '']) {
      putDays(s3, id, daysBefore(TODAY, 720));
      for (let month = 0; month < 24; month += 1)
        putMonth(s3, id, [storedCandle(Date.UTC(2026, 8 - month, 1), HOUR_MS, 10)]);
    }
    const today = [storedCandle(TODAY, HOUR_MS, 10), storedCandle(TODAY + HOUR_MS, HOUR_MS, 10)];
    putHours(s3, TODAY, { [ETH]: today, [other ?? '']: today });
    vi.setSystemTime(TODAY + 2 * HOUR_MS);
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    putSnapshot(s3, { tickers: [tickerOf(ETH, 10), tickerOf(other ?? '', 10)] });
    const [charts, instants] = [await coldStart(s3), await priceFunction()];
    await fetchChart(charts, other ?? '', 'limit=366');
    s3.requests.length = 0;
    expect((await fetchChart(charts, ETH, 'limit=366')).status).toBe(200);
    expect(s3.requests.length).toBeLessThanOrEqual(4);

    const at = Array.from({ length: 100 }, (_, index) => new Date(TODAY - index * 7 * DAY_MS).toISOString());
    await prices(instants, at, '', other);
    s3.requests.length = 0;
    expect((await prices(instants, at)).prices.every(Boolean)).toBe(true);
    expect(s3.requests.length).toBeLessThanOrEqual(40);
  });
});
