import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { S3Server } from '../../local/s3.ts';
import { type Simulated, startSimulated } from '../../local/simulated/index.ts';
import { defaultCoins, priceAt } from '../../local/simulated/market.ts';
import { seedStore } from '../../local/simulated/past.ts';
import { openHours } from '../../shared/marketdata/store/candle-files.ts';
import type { StoredCandle } from '../../shared/marketdata/store/stored-candle.ts';
import { HOUR_MS } from '../../shared/platform/time.ts';
import { startStubbedS3 } from '../s3.ts';
import { tickerOf } from '../snapshot/tickers.ts';
import { withoutPace } from '../unhurried.ts';
import { storedAmong } from './read.ts';
import { BUCKET, putSnapshot } from './stored.ts';

const TODAY = Date.UTC(2026, 10, 21);
const NOW = TODAY + 7 * HOUR_MS + 25 * 60_000;
const BTC = 'btc-bitcoin';
const TETHER = 'usdt-tether';
/** A coin on no exchange. */
const small = { id: 'small-small', name: 'Small', symbol: 'SMALL', rank: 1500, type: 'token' } as const;

describe('the seeded past of coins that simulated exchanges trade', () => {
  let s3: S3Server;
  let simulated: Simulated;
  let seeded: Map<string, Buffer>;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW, shouldAdvanceTime: true });
    simulated = await startSimulated({ coins: [...defaultCoins, small] });
    s3 = await startStubbedS3();
    for (const kind of ['HISTORY', 'SOURCES', 'SNAPSHOT']) vi.stubEnv(`${kind}_BUCKET`, BUCKET);
    for (const [name, url] of Object.entries(simulated.environment)) vi.stubEnv(name, url);
    seeded = new Map();
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await Promise.all([s3.close(), simulated.close()]);
  });

  const EXCHANGES = ['coinbase', 'kraken', 'binance'];
  const seed = (exchanges = EXCHANGES) => seedStore(seeded, BUCKET, simulated, exchanges);
  const readerOf = (objects: { get(path: string): Buffer | undefined }) => storedAmong(objects, BUCKET);
  const prices = (candles: readonly StoredCandle[] = []) =>
    candles
      .filter(({ quality }) => quality === 'exact')
      .map(({ opensAt, open, high, low, close }) => [opensAt, open, high, low, close]);

  it('equals what the exchanges send to the jobs', async () => {
    const store = seed();
    // One with gaps at the preferred exchange, and one that is priced in another coin alone.
    const mapped = JSON.parse(String(seeded.get(`/${BUCKET}/sources/map.v3`)));
    const silent = simulated.coinbase.markets.find(({ trap }) => trap === 'silent')?.coinId ?? '';
    const [inTether] = Object.entries<{ exchange: string; quote: string }[]>(mapped.coins).find(
      ([, [first]]) => first?.quote === 'USDT',
    ) ?? [''];
    const ids = [TETHER, BTC, silent, inTether];
    const coins = new Map(ids.map((id) => [id, mapped.coins[id]]));
    vi.resetModules();
    withoutPace();
    const { sourcesStore } = await import('../../shared/marketdata/sources/source-map.ts');
    const state = { takenAt: null, exchanges: [] };
    await sourcesStore(BUCKET).putMap({ coins, state, at: NOW }, undefined);
    const tickers = ids.map((id) => {
      const asset = simulated.market.asset(id);
      return tickerOf(id, asset ? priceAt(asset, NOW) : Number.NaN, NOW - 60_000);
    });
    putSnapshot(s3, { tickers });
    vi.stubEnv('UPSTREAM_MONTHLY_BUDGET', '30');
    const { handler: hoursJob } = await import('../../functions/marketdata/jobs/candles/handler.ts');
    expect(await hoursJob()).toMatchObject({ coins: 4, running: 4, refused: [] });
    const { handler: pastJob } = await import('../../functions/marketdata/jobs/past/handler.ts');
    expect(await pastJob()).toMatchObject({ exchanges: { stored: 4, refused: [] } });

    const [own, served] = [readerOf(store), readerOf(s3.objects)];
    for (const id of ids) {
      const [days, servedDays] = [await own.daily(id), await served.daily(id)];
      expect(prices(servedDays?.candles).length).toBeGreaterThan(700);
      expect(prices(days?.candles)).toEqual(expect.arrayContaining(prices(servedDays?.candles)));
      const [hours, servedHours] = [await own.hourly(id, TODAY), await served.hourly(id, TODAY)];
      expect(prices(hours?.candles)).toEqual(prices(servedHours?.candles));
    }
    const name = `/${BUCKET}/history/day-exact.v2/2026-11-21`;
    const running = openHours(store.get(name) ?? Buffer.of()).coins.get(BTC);
    const toldRunning = openHours(s3.objects.get(name) ?? Buffer.of()).coins.get(BTC);
    expect(running).toHaveLength(8);
    expect(prices(running?.slice(0, -1))).toEqual(prices(toldRunning?.slice(0, -1)));
    expect(running?.at(-1)).toMatchObject({ open: toldRunning?.at(-1)?.open, lastAt: NOW, quality: 'exact' });
  }, 60_000);

  it('gets the hours that passed while nothing ran, and the end of the one that was running', () => {
    const name = `/${BUCKET}/history/day-exact.v2/2026-11-21`;
    const hours = () => openHours(seed().get(name) ?? Buffer.of()).coins.get(BTC) ?? [];
    const before = hours();
    vi.setSystemTime(NOW + 2 * HOUR_MS);
    const after = hours();
    expect(after).toHaveLength(before.length + 2);
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    const running = TODAY + 7 * HOUR_MS;
    expect(before.at(-1)).toMatchObject({ opensAt: running, lastAt: NOW });
    expect(after.at(-3)).toMatchObject({ opensAt: running, lastAt: running + HOUR_MS });
  });
});
