import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Candles } from '../../functions/marketdata/jobs/candles/candles.ts';
import type { S3Server } from '../../local/s3.ts';
import { type MappedMarket, sourcesStore } from '../../shared/marketdata/sources/source-map.ts';
import { openHours } from '../../shared/marketdata/store/candle-files.ts';
import type { CoveredSeries } from '../../shared/marketdata/store/candle-rows.ts';
import { objectNames } from '../../shared/marketdata/store/names.ts';
import { openWeek, WEEK_HOURS } from '../../shared/marketdata/store/week.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { startStubbedS3 } from '../s3.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { withoutPace } from '../unhurried.ts';
import { type PricesAt, startExchange } from './exchanges.ts';
import { storedIn } from './read.ts';
import { BUCKET, daysBefore, objectPath, putDays, putSamples, putSnapshot } from './stored.ts';

const TODAY = Date.UTC(2026, 8, 18);
const NOW = TODAY + 4 * HOUR_MS + 20 * MINUTE_MS;
const BTC = 'btc-bitcoin';
const TETHER = 'usdt-tether';

/** About 100, with different prices for each interval. */
const wavy: PricesAt = (_market, opensAt) => {
  const base = 100 + 5 * Math.sin(opensAt / DAY_MS);
  return [base, base + 4, base - 4, base + 1];
};
const inDollars = (exchange: string, market: string, quote: MappedMarket['quote'] = 'USD'): MappedMarket => ({
  exchange,
  market,
  quote,
  since: TODAY - DAY_MS,
});

describe('the candles of exchanges', () => {
  let s3: S3Server;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW, shouldAdvanceTime: true });
    s3 = await startStubbedS3();
    for (const kind of ['HISTORY', 'SOURCES', 'SNAPSHOT']) vi.stubEnv(`${kind}_BUCKET`, BUCKET);
    vi.stubEnv('CANDLE_SOURCES', 'coinbase,kraken,binance');
    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '30');
    vi.resetModules();
    withoutPace();
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await s3.close();
  });

  async function map(coins: Readonly<Record<string, readonly MappedMarket[]>>): Promise<void> {
    s3.objects.delete(`/${BUCKET}/sources/map.v3`);
    const state = { takenAt: null, exchanges: [] };
    await sourcesStore(BUCKET).putMap({ coins: new Map(Object.entries(coins)), state, at: NOW }, undefined);
  }

  function publishPrices(prices: Readonly<Record<string, number>>): void {
    const tickers = Object.entries(prices).map(([id, price]) => tickerOf(id, price, Date.now()));
    putSnapshot(s3, { tickers });
  }

  const runHours = async () => (await import('../../functions/marketdata/jobs/candles/handler.ts')).handler();

  /** Runs both jobs that fetch from exchanges; the provider's budget is used up. */
  async function run() {
    const hours = (await runHours()) as Candles; // the map exists
    const { handler } = await import('../../functions/marketdata/jobs/past/handler.ts');
    const { exchanges } = await handler();
    // One for each market or exchange.
    const both = (name: 'refused' | 'stopped') => {
      const all = [...exchanges[name], ...hours[name]];
      return [...new Map(all.map((text) => [text.split(': ')[0], text])).values()];
    };
    return { ...hours, ...exchanges, refused: both('refused'), stopped: both('stopped') };
  }

  const reader = () => storedIn(BUCKET);
  const days = async (id: string) => (await reader().daily(id))?.candles ?? [];
  async function hours(id: string): Promise<CoveredSeries['candles']> {
    const months = [TODAY - 30 * DAY_MS, TODAY];
    const all = await Promise.all(months.map((month) => reader().hourly(id, month)));
    return all.flatMap((series) => series?.candles ?? []);
  }
  const exact = (day = TODAY) => {
    const bytes = s3.objects.get(objectPath(objectNames.exact(day)));
    return bytes && openHours(bytes).coins;
  };
  const made = () => new Map([...s3.objects].filter(([path]) => /history\/coins/.test(path)).sort());

  it('of a new coin are two years of days, a month of hours, and today’s hours', async () => {
    const coinbase = await startExchange('coinbase', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    publishPrices({ [BTC]: 101 });

    expect(await run()).toEqual({
      coins: 1,
      running: 1,
      stored: 1,
      refused: [],
      stopped: [],
      waiting: [],
    });

    const stored = await reader().daily(BTC);
    expect(stored?.candles).toHaveLength(730);
    const [open, high, low, close] = wavy('', TODAY - DAY_MS, DAY_MS) ?? [];
    const amounts = { volume: null, market_cap: null, volume_24h: null };
    const given = { ...amounts, quality: 'exact', samples: 0, isSettled: true, source: 'coinbase' };
    const yesterday = { ...given, opensAt: TODAY - DAY_MS, open, high, low, close, lastAt: TODAY };
    expect(stored?.candles.at(-1)).toEqual(yesterday);
    expect(stored?.coverage).toEqual({ from: TODAY - 730 * DAY_MS, to: TODAY });
    expect(await hours(BTC)).toHaveLength(720);
    expect((await reader().hourly(BTC, TODAY)).coverage).toEqual({
      from: TODAY - 30 * DAY_MS,
      to: TODAY,
    });
    const running = exact()?.get(BTC) ?? [];
    expect(running.map(({ opensAt, quality }) => [(opensAt - TODAY) / HOUR_MS, quality])).toEqual(
      [0, 1, 2, 3, 4].map((hour) => [hour, 'exact']),
    );
    expect(running.at(-1)?.lastAt).toBeGreaterThanOrEqual(NOW);
    // One for the running hours, three for 730 days and three for 720 hours by 300 rows.
    expect(coinbase.requests).toHaveLength(7);
  });

  it('take one request a coin in the next run, and none twice if the note is lost', async () => {
    const coinbase = await startExchange('coinbase', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')], x: [inDollars('coinbase', 'X-USD')] });
    await run();
    const before = made();
    coinbase.requests.length = 0;

    vi.setSystemTime(NOW + 10 * MINUTE_MS);
    await run();
    expect(coinbase.requests.map(({ market, from }) => [market, from])).toEqual([
      ['BTC-USD', TODAY + 4 * HOUR_MS],
      ['X-USD', TODAY + 4 * HOUR_MS],
    ]);
    s3.objects.delete(`/${BUCKET}/history/past.v2`);
    await run();
    expect(coinbase.requests).toHaveLength(4);
    expect(made()).toEqual(before);
  });

  it('of a completed day take no request, because its hours are rolled up', async () => {
    const coinbase = await startExchange('coinbase', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    vi.setSystemTime(TODAY + DAY_MS - 5 * MINUTE_MS);
    await run();
    const before = made();
    coinbase.requests.length = 0;

    for (const minutes of [5, 15, 75, 105]) {
      vi.setSystemTime(TODAY + DAY_MS + minutes * MINUTE_MS);
      expect(await run()).toMatchObject({ stored: 0 });
    }

    expect(exact()?.get(BTC)?.at(-1)).toMatchObject({ lastAt: TODAY + DAY_MS, isSettled: true });
    expect(coinbase.requests.map(({ stepMs, from }) => [stepMs, from])).toEqual([
      [HOUR_MS, TODAY + 23 * HOUR_MS],
      [HOUR_MS, TODAY + DAY_MS],
      [HOUR_MS, TODAY + DAY_MS],
      [HOUR_MS, TODAY + 25 * HOUR_MS],
    ]);
    expect(made()).toEqual(before);
  });

  it('of days whose hours are not complete are fetched, once the hours are over: after two nights too', async () => {
    const coinbase = await startExchange('coinbase', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    vi.setSystemTime(TODAY + 2 * HOUR_MS);
    await run();
    coinbase.requests.length = 0;

    vi.setSystemTime(TODAY + 2 * DAY_MS + 30 * MINUTE_MS);
    expect(await run()).toMatchObject({ stored: 1 });
    expect(coinbase.requests.map(({ stepMs, from, to }) => [stepMs, from, to])).toEqual([
      [HOUR_MS, TODAY + 2 * DAY_MS, TODAY + 2 * DAY_MS + HOUR_MS],
      [DAY_MS, TODAY, TODAY + 2 * DAY_MS],
      [HOUR_MS, TODAY, TODAY + 2 * DAY_MS],
    ]);
    expect(await days(BTC)).toHaveLength(732);
  });

  it('of a day’s last hour are the coin’s, although they come after the day was merged', async () => {
    await startExchange('coinbase', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    vi.setSystemTime(TODAY + DAY_MS - 5 * MINUTE_MS);
    await run();
    putSamples(s3, Date.now(), { another: 1 });
    vi.setSystemTime(TODAY + DAY_MS + 36 * MINUTE_MS);
    const { handler: rollUp } = await import('../../functions/marketdata/jobs/roll-up/handler.ts');
    expect(await rollUp()).toMatchObject({ days: ['2026-09-18'] });
    expect((await days(BTC)).at(-1)?.quality).toBe('sampled');

    for (const minutes of [45, 75]) {
      vi.setSystemTime(TODAY + DAY_MS + minutes * MINUTE_MS);
      await run();
    }
    expect((await days(BTC)).at(-1)).toMatchObject({ opensAt: TODAY, quality: 'exact' });
    const last = { opensAt: TODAY + 23 * HOUR_MS, quality: 'exact', lastAt: TODAY + DAY_MS };
    expect((await hours(BTC)).at(-1)).toMatchObject(last);
  });

  it('of coins that a run had no time for are fetched first in the next one', async () => {
    const coinbase = await startExchange('coinbase', wavy);
    const [late, soon] = [
      { late: [inDollars('coinbase', 'LATE-USD')] },
      { soon: [inDollars('coinbase', 'SOON-USD')] },
    ];
    await map({ ...soon, ...late });
    await run();
    vi.setSystemTime(NOW + 10 * MINUTE_MS);
    await map(soon);
    await run();
    coinbase.requests.length = 0;

    vi.setSystemTime(NOW + 20 * MINUTE_MS);
    await map({ ...soon, ...late });
    await run();

    expect(coinbase.requests.map(({ market }) => market)).toEqual(['LATE-USD', 'SOON-USD']);
  });

  it('are published while a slow exchange has not responded yet', async () => {
    const binance = await startExchange('binance', wavy);
    // Nothing of the past, which would take its time.
    binance.instead = ({ from }, response) => {
      if (from < TODAY) response.writeHead(451).end();
      return from < TODAY;
    };
    const coinbase = await startExchange('coinbase', wavy);
    let publishedMeanwhile = 0;
    coinbase.instead = (_asked, response) => {
      void vi
        .waitUntil(() => exact(), { timeout: 10_000 })
        .then((coins) => {
          publishedMeanwhile ||= coins.size;
          response.writeHead(404).end('{"message":"NotFound"}');
        });
      return true;
    };
    const quick = Array.from({ length: 120 }, (_, n) => [`coin-${n}`, [inDollars('binance', `C${n}USD`)]]);
    await map({ ...Object.fromEntries(quick), [BTC]: [inDollars('coinbase', 'BTC-USD')] });

    expect(await run()).toMatchObject({ coins: 121, running: 120 });

    expect(publishedMeanwhile).toBe(100);
    expect(exact()?.size).toBe(120);
  });

  it('come from the next exchange if the preferred one has none', async () => {
    const listed = TODAY - 100 * DAY_MS;
    const silent = TODAY - 3 * DAY_MS + 7 * HOUR_MS;
    await startExchange('coinbase', (market, opensAt, stepMs) =>
      opensAt < listed || opensAt === silent || opensAt === TODAY + HOUR_MS
        ? undefined
        : wavy(market, opensAt, stepMs),
    );
    const binance = await startExchange('binance', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD'), inDollars('binance', 'BTCUSD')] });
    await run();

    const bySource = (candles: CoveredSeries['candles'], source: string) =>
      candles.filter((candle) => candle.source === source).map(({ opensAt }) => opensAt);
    expect(bySource(await days(BTC), 'coinbase')).toHaveLength(100);
    expect(bySource(await days(BTC), 'binance')).toHaveLength(630);
    expect(bySource(await hours(BTC), 'binance')).toEqual([silent]);
    expect(
      exact()
        ?.get(BTC)
        ?.map(({ source }) => source),
    ).toEqual(['coinbase', 'binance', 'coinbase', 'coinbase', 'coinbase']);
    expect(binance.requests.map(({ stepMs, from, to }) => [stepMs, (to - from) / stepMs])).toEqual([
      [HOUR_MS, 4],
      [DAY_MS, 630],
      [HOUR_MS, 1],
    ]);
  });

  it('with a gap that no exchange fills are not covered before the gap', async () => {
    const silent = TODAY - 40 * DAY_MS;
    await startExchange('coinbase', (market, opensAt, stepMs) =>
      opensAt === silent ? undefined : wavy(market, opensAt, stepMs),
    );
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    await run();
    const stored = await reader().daily(BTC);
    expect(stored?.coverage).toEqual({ from: silent + DAY_MS, to: TODAY });
  });

  it('in a stablecoin are converted at its close of the day', async () => {
    await startExchange('binance', wavy);
    const lost = TODAY - 2 * DAY_MS;
    const tether = daysBefore(TODAY, 20, () => 1).map((day) => ({
      ...day,
      close: day.opensAt === lost ? 0.93 : 1,
    }));
    putDays(s3, TETHER, tether);
    publishPrices({ [TETHER]: 0.98, x: 100 });
    await map({ x: [inDollars('binance', 'XUSDT', 'USDT')] });
    await run();

    const stored = await days('x');
    expect(stored).toHaveLength(20);
    const [open = 0, high = 0] = wavy('', lost, DAY_MS) ?? [];
    expect(stored.at(-2)).toMatchObject({ opensAt: lost, open: open * 0.93, high: high * 0.93 });
    expect((await hours('x')).filter(({ opensAt }) => opensAt >= lost)[3]?.open).toBeCloseTo(
      0.93 * (wavy('', lost + 3 * HOUR_MS, HOUR_MS)?.[0] ?? 0),
    );
    expect(exact()?.get('x')?.[0]?.open).toBeCloseTo(0.98 * (wavy('', TODAY, HOUR_MS)?.[0] ?? 0));
  });

  it('in a stablecoin without a known price are left out', async () => {
    await startExchange('binance', wavy);
    await map({ x: [inDollars('binance', 'XUSDT', 'USDT')] });
    await run();
    expect([await days('x'), exact()]).toEqual([[], undefined]);
  });

  it('in a stablecoin without a close on some days are reported, and stored without these days after a week', async () => {
    const binance = await startExchange('binance', wavy);
    const gap = TODAY - 20 * DAY_MS;
    const closes = (until: number) =>
      daysBefore(until, 750, () => 1).filter(({ opensAt }) => opensAt !== gap);
    putDays(s3, TETHER, closes(TODAY).slice(0, -1));
    const ids = Array.from({ length: 10 }, (_, n) => `coin-${n}`);
    await map(Object.fromEntries(ids.map((id) => [id, [inDollars('binance', `${id}USDT`, 'USDT')]])));
    const first = await run();
    expect(first).toMatchObject({ stored: 10 });
    expect(first.waiting).toHaveLength(10);
    expect(first.waiting[0]).toBe(
      'binance coin-0USDT: closes of USDT missing: 2, from 2026-08-29 to 2026-09-17; awaited until 2026-09-25',
    );

    vi.setSystemTime(NOW + 7 * DAY_MS);
    expect(await run()).toMatchObject({ waiting: expect.arrayContaining([expect.any(String)]) });

    const later = TODAY + 9 * DAY_MS;
    putDays(s3, TETHER, closes(later));
    vi.setSystemTime(later + 5 * HOUR_MS);
    const last = await run();
    expect(last.waiting[0]).toBe(
      'binance coin-0USDT: closes of USDT missing: 1, from 2026-08-29 to 2026-08-29; given up',
    );
    const stored = await days('coin-0');
    expect(stored.map(({ opensAt }) => opensAt)).toEqual(
      daysBefore(later, 739, () => 1).flatMap(({ opensAt }) => (opensAt === gap ? [] : [opensAt])),
    );
    binance.requests.length = 0;
    vi.setSystemTime(later + 23 * HOUR_MS);
    await run();
    expect(binance.requests.filter(({ stepMs }) => stepMs === DAY_MS)).toEqual([]);
  });

  it('are fetched after the history of the stablecoin that they are priced in', async () => {
    await startExchange('coinbase', () => [1, 1.01, 0.96, 0.97]);
    await startExchange('binance', wavy);
    publishPrices({ [TETHER]: 0.97, x: 100 });
    await map({
      x: [inDollars('binance', 'XUSDT', 'USDT')],
      [TETHER]: [inDollars('coinbase', 'USDT-USD')],
    });
    await run();
    expect(await days('x')).toHaveLength(730);
    expect((await days('x')).at(-1)?.open).toBeCloseTo(0.97 * (wavy('', TODAY - DAY_MS, DAY_MS)?.[0] ?? 0));
  });

  it.each([
    ['the current price', 101, /^coinbase BTC-USD: .*a price of 10; the current price is 101$/],
    ['the stored closes', undefined, /^coinbase BTC-USD: .* are far from the stored ones$/],
  ])(
    'of another coin are refused for %s, and fetched from the next exchange',
    async (_why, price, refusal) => {
      await startExchange('coinbase', () => [10, 11, 9, 10]);
      await startExchange('binance', wavy);
      putDays(
        s3,
        BTC,
        daysBefore(TODAY, 100, () => 95),
      );
      if (price) publishPrices({ [BTC]: price });
      await map({ [BTC]: [inDollars('coinbase', 'BTC-USD'), inDollars('binance', 'BTCUSD')] });

      const { refused, stopped } = await run();
      expect(refused).toEqual([expect.stringMatching(refusal)]);
      expect(stopped).toEqual([]);
      // A running hour is compared only with the current price.
      const running = price ? (exact()?.get(BTC) ?? []) : [];
      const stored = [...(await days(BTC)), ...(await hours(BTC)), ...running];
      const sources = new Set(stored.map(({ source }) => source));
      expect([...sources]).toEqual(['binance']);
    },
  );

  it.each([
    ['that markets dispute', 0, [BTC]],
    ['of two hours ago', 2 * HOUR_MS, []],
  ])('are not compared with a price %s', async (_what, ageMs, disputed) => {
    await startExchange('coinbase', wavy);
    putSnapshot(s3, { tickers: [tickerOf(BTC, 500, Date.now() - ageMs)], disputed: new Set(disputed) });
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    expect(await run()).toMatchObject({ refused: [], stored: 1 });
  });

  it('are never stored after all exchanges gave the symbol to another coin', async () => {
    const exchanges = [await startExchange('coinbase', wavy), await startExchange('binance', wavy)];
    publishPrices({ [BTC]: 101 });
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD'), inDollars('binance', 'BTCUSD')] });
    await run();
    const hoursBefore = exact()?.get(BTC);
    for (const exchange of exchanges) {
      exchange.prices = (market, opensAt, stepMs) =>
        opensAt + stepMs <= TODAY + 5 * HOUR_MS ? wavy(market, opensAt, stepMs) : [10, 11, 9, 10];
    }
    for (let hour = 1; hour <= 26; hour++) {
      vi.setSystemTime(NOW + hour * HOUR_MS);
      publishPrices({ [BTC]: 101 });
      const { refused } = await run();
      expect(refused).toContainEqual(expect.stringMatching(/^binance BTCUSD: /));
    }

    expect(exact(TODAY + DAY_MS)).toBeUndefined();
    expect(exact()?.get(BTC)?.slice(0, 4)).toEqual(hoursBefore?.slice(0, 4));
    const stored = [...(await days(BTC)), ...(await hours(BTC)), ...(exact()?.get(BTC) ?? [])];
    expect(Math.min(...stored.map(({ low }) => low))).toBeGreaterThan(50);
    expect(await days(BTC)).toHaveLength(730);
  });

  it('in a stablecoin are converted by its hour where that is known, and by its day’s close before', async () => {
    const CIRCLE = 'usdc-usd-coin';
    const depegged = TODAY - 2 * DAY_MS;
    const long = TODAY - 200 * DAY_MS;
    /** At 07:00 it costs 0.88 for an hour, and closes at 0.96. */
    const dollars: PricesAt = (market, opensAt, stepMs) => {
      if (market !== 'USDC-USD') return [100, 100, 100, 100];
      const day = opensAt - (opensAt % DAY_MS);
      if (day !== depegged && day !== long) return [1, 1, 1, 1];
      if (stepMs === DAY_MS) return [1, 1, 0.88, 0.96];
      if (opensAt === day + 7 * HOUR_MS) return [0.88, 0.88, 0.88, 0.88];
      return opensAt > day + 7 * HOUR_MS ? [0.96, 0.96, 0.96, 0.96] : [1, 1, 1, 1];
    };
    await startExchange('coinbase', dollars);
    await map({
      [CIRCLE]: [inDollars('coinbase', 'USDC-USD')],
      [BTC]: [inDollars('coinbase', 'BTC-USDC', 'USDC')],
    });
    await run();

    const hourly = (await hours(BTC)).filter(
      ({ opensAt }) => opensAt >= depegged && opensAt < depegged + DAY_MS,
    );
    expect(hourly.map(({ close }) => close)).toEqual([...Array(7).fill(100), 88, ...Array(16).fill(96)]);
    const daily = new Map((await days(BTC)).map((day) => [day.opensAt, day]));
    expect(daily.get(depegged)).toMatchObject({ open: 100, high: 100, low: 88, close: 96, quality: 'exact' });
    expect(daily.get(long)).toMatchObject({ high: 96, low: 96, close: 96, quality: 'derived' });
    expect(daily.get(long - DAY_MS)).toMatchObject({ high: 100, quality: 'exact' });
  });

  it('of a new store fill the week of closes from its first hour on', async () => {
    await startExchange('coinbase', wavy);
    await map({ [BTC]: [inDollars('coinbase', 'BTC-USD')] });
    publishPrices({ [BTC]: 101 });
    await run();
    putSamples(s3, NOW, { [BTC]: 101 });
    const { handler } = await import('../../functions/marketdata/jobs/roll-up/handler.ts');
    await handler();

    const week = openWeek(s3.objects.get(objectPath(objectNames.week)) ?? Buffer.of());
    const closes = week.closesOf(BTC);
    expect(closes.size).toBeGreaterThanOrEqual(WEEK_HOURS - 1);
    for (const [over, { price, quality }] of closes)
      expect([over, price, quality]).toEqual([over, wavy('', over - HOUR_MS, HOUR_MS)?.[3], 'exact']);
  });

  it('of other exchanges are stored while one exchange refuses requests', async () => {
    const coinbase = await startExchange('coinbase', wavy);
    coinbase.instead = (_asked, response) => {
      response.writeHead(418, { 'retry-after': '600' }).end('{}');
      return true;
    };
    await startExchange('binance', wavy);
    await map({
      [BTC]: [inDollars('coinbase', 'BTC-USD'), inDollars('binance', 'BTCUSD')],
      x: [inDollars('coinbase', 'X-USD')],
      y: [inDollars('binance', 'YUSD')],
    });

    const { stopped, running } = await run();
    expect(stopped).toEqual([expect.stringMatching(/^coinbase: /)]);
    expect(running).toBe(2);
    expect(coinbase.requests.length).toBeLessThanOrEqual(2);
    for (const id of [BTC, 'y']) expect((await days(id)).length).toBe(730);
  });

  it('are none without a map of markets', async () => {
    expect(await runHours()).toEqual({ coins: 0 });
  });
});
