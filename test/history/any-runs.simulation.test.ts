import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { type MappedMarket, sourcesStore } from '../../shared/marketdata/sources/source-map.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { type Loopback, respondJson, startLoopback } from '../pipeline/loopback.ts';
import { startStubbedS3 } from '../s3.ts';
import { isLong } from '../setup/long.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { withoutPace } from '../unhurried.ts';
import { type Candle, coldStart, fetchChart } from './chart.ts';
import { type PricesAt, startExchange } from './exchanges.ts';
import { BUCKET, type Run, samplesFile, samplesPath } from './market.ts';
import { plainCandles } from './plain.ts';
import { putSnapshot } from './stored.ts';

const LIMIT_MS = isLong ? 600_000 : 60_000;
/** Days before the end of a month, and of a year. */
const starts = [Date.UTC(2026, 9, 29, 20, 40), Date.UTC(2026, 11, 29, 13, 5)] as const;
const SLOT_MINUTES = 60;
const SLOT_MS = SLOT_MINUTES * MINUTE_MS;
const MARKET_CAP = 5000;
const EXACT_AFTER_MS = MINUTE_MS;
const PUBLISHED_AFTER_MS = 2 * MINUTE_MS;
/** An hour that was fetched before its end is settled without the exchange by then. */
const FINISHED_AFTER_MS = HOUR_MS;

/** `late` is sampled from the start, and its market is mapped later. */
const coins = ['traded', 'sampled', 'late'] as const;
type Coin = (typeof coins)[number];
const factors = { traded: 1, sampled: 3, late: 20 } as const;
const markets: Readonly<Partial<Record<string, Coin>>> = { 'TRADED-USD': 'traded', 'LATE-USD': 'late' };
const sampledCoins = ['sampled', 'late'] as const;
const bases = ['1h', '24h'] as const;
type Base = (typeof bases)[number];
const steps = { '1h': HOUR_MS, '24h': DAY_MS } as const;
const limits = { '1h': 150, '24h': 20 } as const;
const qualities = ['exact', 'sampled', 'derived'];

const jobs = {
  candles: () => import('../../functions/marketdata/jobs/candles/handler.ts'),
  'roll-up': () => import('../../functions/marketdata/jobs/roll-up/handler.ts'),
  past: () => import('../../functions/marketdata/jobs/past/handler.ts'),
};
type Job = keyof typeof jobs;

const priceAt = (coin: Coin, time: number) => factors[coin] * (100 + 5 * Math.sin((2 * time) / DAY_MS));
type Prices = readonly [open: number, high: number, low: number, close: number];

/** An exchange's candle as it is at a time. Its wicks tell it from a sampled one. */
function tradedPrices(coin: Coin, opensAt: number, stepMs: number, now: number): Prices {
  const end = Math.min(opensAt + stepMs, now);
  const hours = Array.from({ length: Math.ceil((end - opensAt) / HOUR_MS) }, (_, n) => opensAt + n * HOUR_MS);
  const all = [...hours, end].map((time) => priceAt(coin, time));
  return [all[0] ?? 0, Math.max(...all) * 1.01, Math.min(...all) * 0.99, all.at(-1) ?? 0];
}

const pick = fc.constantFrom;
const event = fc.record({
  map: fc.boolean(),
  /** How far the clock moves, or to which next minute of a day. */
  move: fc.oneof(
    { weight: 3, arbitrary: fc.record({ to: pick(2, 12, 25, 50, 72, 100, 720, 1430) }) },
    { weight: 2, arbitrary: fc.record({ by: fc.oneof(fc.integer({ min: 0, max: 70 }), pick(720)) }) },
    { weight: 1, arbitrary: fc.record({ by: pick(1440, 2 * 1440, 4 * 1440) }) },
  ),
  sampled: pick('all', 'all', 'half', 'none'),
  restarts: fc.subarray(['jobs', 'reader'] as const),
  runs: fc.array(pick<Job[]>('candles', 'roll-up', 'past'), { maxLength: 4 }),
});
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

interface Received {
  readonly coin: Coin;
  readonly job: Job;
  readonly stepMs: number;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** All that was said of the coins so far. */
class Said {
  readonly runs: Run[] = [];
  readonly received: Received[] = [];
  readonly rollUps: number[] = [];
  readonly merged = new Set<number>();

  /** Whether an interval was fetched after its end. */
  isExact(coin: Coin, opensAt: number, stepMs: number, job?: Job): boolean {
    return this.received.some(
      (one) =>
        one.coin === coin &&
        (job === undefined || one.job === job) &&
        one.stepMs === stepMs &&
        one.from <= opensAt &&
        opensAt < one.to &&
        one.at >= opensAt + stepMs + EXACT_AFTER_MS,
    );
  }
  isTouched(coin: Coin, from: number, to: number): boolean {
    return this.received.some((one) => one.coin === coin && one.from < to && one.to > from && one.at > from);
  }
  /** The hours that roll-ups have made of samples. */
  isPublished(coin: Coin, hour: number): boolean {
    return (
      this.isSampled(coin, hour, hour + HOUR_MS) &&
      this.rollUps.some((at) => at >= hour + HOUR_MS + PUBLISHED_AFTER_MS)
    );
  }
  isSampled(coin: Coin, from: number, to: number): boolean {
    return this.runs.some(
      ({ takenAt, coins: of }) => takenAt >= from && takenAt < to && of.some(({ id }) => id === coin),
    );
  }
  /** Whether what was said of a day is merged, or its hours are still read. */
  isAtHand(day: number, now: number): boolean {
    return this.merged.has(day) || day >= dayOf(now) - 3 * DAY_MS;
  }
}

const dayOf = (time: number) => time - (time % DAY_MS);
const hoursOf = (day: number) => Array.from({ length: 24 }, (_, n) => day + n * HOUR_MS);

/** What has to be shown of a finished interval. */
type Expected =
  | { readonly quality: string; readonly prices: Prices }
  /** Partly exact: it includes these prices, and is no exact candle once it is settled. */
  | { readonly low: number; readonly high: number };

function expectedHour(said: Said, coin: Coin, hour: number, now: number): Expected | undefined {
  const isAtHand = said.isAtHand(dayOf(hour), now);
  // What the exchange's hours of the day have is merged by the roll-up alone, even if it is fetched again.
  const isOwn = said.isExact(coin, hour, HOUR_MS, 'past') && !said.isExact(coin, hour, HOUR_MS, 'candles');
  if (isOwn || (isAtHand && said.isExact(coin, hour, HOUR_MS)))
    return { quality: 'exact', prices: tradedPrices(coin, hour, HOUR_MS, now) };
  if (!isAtHand || !said.isPublished(coin, hour)) return undefined;
  if (said.isTouched(coin, hour, hour + HOUR_MS)) return mixed(said, coin, hour, HOUR_MS);
  return plainly(said, coin, hour, HOUR_MS);
}

function expectedDay(said: Said, coin: Coin, day: number, now: number): Expected | undefined {
  const isAtHand = said.isAtHand(day, now);
  const hours = hoursOf(day);
  const isWhole = isAtHand && hours.every((hour) => said.isExact(coin, hour, HOUR_MS, 'candles'));
  if (isWhole || said.isExact(coin, day, DAY_MS))
    return { quality: 'exact', prices: tradedPrices(coin, day, DAY_MS, now) };
  const own = hours.filter((hour) => said.isSampled(coin, hour, hour + HOUR_MS));
  if (!isAtHand || !own.some((hour) => said.isPublished(coin, hour))) return undefined;
  const isMixed =
    said.isTouched(coin, day, day + DAY_MS) || !own.every((hour) => said.isPublished(coin, hour));
  return (isMixed ? mixed : plainly)(said, coin, day, DAY_MS);
}

function mixed(said: Said, coin: Coin, opensAt: number, stepMs: number): Expected {
  const prices = said.runs.flatMap(({ takenAt, coins: of }) => {
    const isIn = takenAt >= opensAt && takenAt < opensAt + stepMs;
    if (!isIn || !said.isPublished(coin, takenAt - (takenAt % HOUR_MS))) return [];
    return of.filter(({ id }) => id === coin).map(({ price }) => price);
  });
  return { low: Math.min(...prices), high: Math.max(...prices) };
}

function plainly({ runs }: Said, coin: Coin, opensAt: number, stepMs: number): Expected {
  const own = runs.filter(({ takenAt }) => takenAt >= opensAt && takenAt < opensAt + stepMs);
  const [plain] = plainCandles(own, coin, { stepMs, until: Number.POSITIVE_INFINITY, minutes: SLOT_MINUTES });
  if (!plain) throw new Error('no samples');
  return { quality: plain.quality, prices: [plain.open, plain.high, plain.low, plain.close] };
}

function isAsExpected(candle: Candle | undefined, expected: Expected, isSettled: boolean): boolean {
  if (!candle) return false;
  const { open, high, low, close, quality } = candle;
  if ('quality' in expected)
    return quality === expected.quality && String([open, high, low, close]) === String(expected.prices);
  return low <= expected.low && high >= expected.high && !(isSettled && quality === 'exact');
}

const expectedOf = { '1h': expectedHour, '24h': expectedDay } as const;
const at = (time: number) => new Date(time).toISOString().slice(0, 16);

type Shown = ReadonlyMap<number, Candle>;
type Charts = ReadonlyMap<string, Shown>;
const keyOf = (coin: Coin, base: Base) => `${coin} ${base}`;
const charted = coins.flatMap((coin) => bases.map((base) => [coin, base] as const));

let s3: S3Server;
let provider: Loopback;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: starts[0] });
  s3 = await startStubbedS3();
  provider = await startLoopback(respondJson({ error: 'none' }, 404));
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('COINPAPRIKA_BASE_URL', `${provider.url}/v1`);
  for (const kind of ['HISTORY', 'SOURCES', 'SNAPSHOT']) vi.stubEnv(`${kind}_BUCKET`, BUCKET);
  vi.stubEnv('CANDLE_SOURCES', 'coinbase');
  vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '30');
  vi.resetModules();
  withoutPace();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await provider.close();
  await s3.close();
});

it(
  'shows the best that was said of each interval, whichever jobs run, and when',
  async () => {
    let said = new Said();
    let running: Job = 'candles';
    const prices: PricesAt = (market, opensAt, stepMs) => {
      const coin = markets[market];
      return coin && tradedPrices(coin, opensAt, stepMs, Date.now());
    };
    const exchange = await startExchange('coinbase', prices);
    exchange.instead = ({ market, stepMs, from, to }) => {
      const coin = markets[market] ?? 'sampled';
      expectNew({ coin, job: running, stepMs, from, to, at: Date.now() });
      return false;
    };

    /** Requests for what was received before. */
    const repeated: string[] = [];
    function expectNew(one: Received): void {
      const { coin, job, stepMs, from, to } = one;
      const intervals = Array.from({ length: Math.ceil((to - from) / stepMs) }, (_, n) => from + n * stepMs);
      const isKnown = (opensAt: number) =>
        said.isExact(coin, opensAt, stepMs) ||
        (stepMs === DAY_MS && hoursOf(opensAt).every((hour) => said.isExact(coin, hour, HOUR_MS)));
      const isOwn = (opensAt: number | undefined) =>
        opensAt !== undefined && said.isExact(coin, opensAt, stepMs, job);
      // The running hour is asked for again.
      if (intervals.every(isKnown) || isOwn(intervals[0]) || isOwn(intervals.at(-1)))
        repeated.push(`${job}: ${coin}, ${stepMs / HOUR_MS} h, from ${at(from)} to ${at(to)}`);
      said.received.push(one);
    }

    async function map(isLate: boolean): Promise<void> {
      s3.objects.delete(`/${BUCKET}/sources/map.v3`);
      const market = (name: string): MappedMarket[] => [
        { exchange: 'coinbase', market: name, quote: 'USD', since: Date.now() },
      ];
      const own = { traded: market('TRADED-USD'), ...(isLate && { late: market('LATE-USD') }) };
      const state = { takenAt: null, exchanges: [] };
      const content = { coins: new Map(Object.entries(own)), state, at: Date.now() };
      await sourcesStore(BUCKET).putMap(content, undefined);
    }

    /** The clock moves on, while the snapshot's job puts samples. */
    function move({ move: given, sampled }: Event): void {
      const before = Date.now();
      const minutes = 'to' in given ? given.to : 0;
      const next = dayOf(before) + minutes * MINUTE_MS;
      const now = 'by' in given ? before + given.by * MINUTE_MS : next > before ? next : next + DAY_MS;
      vi.setSystemTime(now);
      if (sampled === 'none') return;
      const stepMs = sampled === 'all' ? SLOT_MS : 2 * SLOT_MS;
      let last: Run | undefined;
      for (let slot = Math.ceil((before + 1) / stepMs) * stepMs; slot + 7_000 <= now; slot += stepMs) {
        const taken = sampledCoins.map((id) => {
          const price = priceAt(id, slot);
          return { id, price, volume: 1000, market_cap: MARKET_CAP };
        });
        last = { takenAt: slot + 7_000, coins: taken };
        said.runs.push(last);
        s3.objects.set(samplesPath(last, SLOT_MINUTES), samplesFile(last, SLOT_MINUTES));
      }
      if (last) publish(last);
    }
    function publish({ takenAt, coins: taken }: Run): void {
      const runningHour = takenAt - (takenAt % HOUR_MS);
      const recent = said.runs.filter((run) => run.takenAt >= runningHour - HOUR_MS);
      const until = Number.POSITIVE_INFINITY;
      const hours = sampledCoins.map((id): [string, StoredCandle[]] => [
        id,
        plainCandles(recent, id, { stepMs: HOUR_MS, until, minutes: SLOT_MINUTES }).map((hour) => ({
          ...hour,
          isSettled: hour.opensAt < runningHour,
        })),
      ]);
      putSnapshot(s3, {
        takenAt,
        intervalSeconds: SLOT_MS / 1000,
        source: 'simulated',
        tickers: taken.map(({ id, price }) => tickerOf(id, price, takenAt)),
        hours: new Map(hours),
      });
    }

    let handlers = new Map<Job, () => Promise<unknown>>();
    async function run(job: Job): Promise<void> {
      const handler = handlers.get(job) ?? (await jobs[job]()).handler;
      handlers.set(job, handler);
      s3.requests.length = 0;
      running = job;
      const result = await handler();
      if (job === 'roll-up') {
        said.rollUps.push(Date.now());
        for (const day of (result as { days: string[] }).days) said.merged.add(Date.parse(day));
        expect(s3.requests.filter((line) => line.includes('/history/coins.'))).toEqual([]);
      } else expectNoShardPut();
    }
    function expectNoShardPut(): void {
      const puts = s3.requests.filter((line) => /^(PUT|DELETE) .*\/history\/(days|hours)\./.test(line));
      expect(puts).toEqual([]);
    }

    async function look(reader: LambdaHandler): Promise<Charts> {
      s3.requests.length = 0;
      const charts = new Map<string, Shown>();
      for (const [coin, base] of charted) {
        const answer = await fetchChart(reader, coin, `interval=${base}&limit=${limits[base]}`);
        const { data } = (answer.body as { data?: { data: Candle[] } }).data ?? { data: [] };
        charts.set(keyOf(coin, base), new Map(data.map((candle) => [Date.parse(candle.time_open), candle])));
      }
      expectNoShardPut();
      return charts;
    }
    const shownBy = (charts: Charts, coin: Coin, base: Base): Shown =>
      charts.get(keyOf(coin, base)) ?? new Map();

    function expectBest(charts: Charts): void {
      const now = Date.now();
      for (const [coin, base] of charted) {
        const shown = shownBy(charts, coin, base);
        const stepMs = steps[base];
        const end = now - (now % stepMs);
        const wrong: unknown[] = [];
        for (let opensAt = end - (limits[base] - 1) * stepMs; opensAt < end; opensAt += stepMs) {
          const expected = expectedOf[base](said, coin, opensAt, now);
          if (!expected) continue;
          const candle = shown.get(opensAt);
          // Before a day is merged, its sampled hours are not read if exchanges have all of them.
          const hasAmounts =
            !said.merged.has(dayOf(opensAt)) ||
            !said.isPublished(coin, opensAt + stepMs - HOUR_MS) ||
            candle?.market_cap === MARKET_CAP;
          const isSettled = opensAt + stepMs + FINISHED_AFTER_MS <= now;
          if (hasAmounts && isAsExpected(candle, expected, isSettled)) continue;
          wrong.push({ coin, base, opens: at(opensAt), hasAmounts, candle, expected });
        }
        expect(wrong.slice(0, 3)).toEqual([]);
      }
    }

    /** Whether a candle stays: not one of a snapshot's row alone, nor one whose hours no roll-up has merged in time. */
    const stays = (coin: Coin, base: Base, opensAt: number) =>
      expectedOf[base](said, coin, opensAt, Date.now()) !== undefined ||
      (said.isAtHand(dayOf(opensAt), Date.now()) && said.isTouched(coin, opensAt, opensAt + steps[base]));

    function expectOnward(before: Charts, beforeAt: number, charts: Charts): void {
      const now = Date.now();
      for (const [coin, base] of charted) {
        const shown = shownBy(charts, coin, base);
        const from = now - (limits[base] - 1) * steps[base];
        const kept = [...shownBy(before, coin, base)].filter(
          ([opensAt]) => opensAt >= from && stays(coin, base, opensAt),
        );
        const lost = kept.filter(([opensAt]) => !shown.has(opensAt));
        const worse = kept.filter(([opensAt, { quality }]) => {
          if (opensAt + steps[base] + FINISHED_AFTER_MS > beforeAt) return false;
          const later = shown.get(opensAt)?.quality ?? '';
          return qualities.indexOf(later) > qualities.indexOf(quality);
        });
        const texts = [...lost, ...worse].map(
          ([opensAt, { quality }]) => `${coin} ${at(opensAt)} ${quality}`,
        );
        expect([base, ...texts]).toEqual([base]);
        const last = [...shownBy(before, coin, base).keys()].at(-1);
        if (last !== undefined && said.isAtHand(dayOf(last), now))
          expect([...shown.keys()].at(-1)).toBeGreaterThanOrEqual(last);
      }
    }

    function expectSame(kept: Charts, fresh: Charts): void {
      const settled = (charts: Charts) =>
        charted.map(([coin, base]) => [
          coin,
          base,
          ...[...shownBy(charts, coin, base)].filter(
            ([opensAt]) =>
              opensAt + steps[base] + FINISHED_AFTER_MS <= Date.now() && stays(coin, base, opensAt),
          ),
        ]);
      expect(settled(kept)).toEqual(settled(fresh));
    }

    const sequence = fc.tuple(pick(...starts), fc.array(event, { minLength: 5, maxLength: 9 }));
    await fc.assert(
      fc.asyncProperty(sequence, async ([start, events]) => {
        vi.setSystemTime(start);
        s3.objects.clear();
        vi.resetModules();
        handlers = new Map();
        said = new Said();
        repeated.length = 0;
        await map(false);
        let reader = await coldStart(s3);
        let before: Charts = new Map();
        let beforeAt = start;
        let isLate = false;
        for (const one of events) {
          move(one);
          if (one.map && !isLate) {
            isLate = true;
            await map(true);
          }
          if (one.restarts.includes('jobs')) {
            vi.resetModules();
            handlers = new Map();
          }
          for (const job of one.runs) await run(job);
          expect(repeated).toEqual([]);
          if (one.restarts.includes('reader')) reader = await coldStart(s3);
          vi.setSystemTime(Date.now() + MINUTE_MS);
          const kept = await look(reader);
          expectBest(kept);
          expectOnward(before, beforeAt, kept);
          before = kept;
          beforeAt = Date.now();
        }
        const fresh = await look(await coldStart(s3));
        expectBest(fresh);
        expectSame(before, fresh);
      }),
      {
        numRuns: isLong ? 200 : 10,
        // Finding a smaller example may take longer than the test.
        interruptAfterTimeLimit: LIMIT_MS,
      },
    );
  },
  LIMIT_MS + 60_000,
);
