import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SimulatedSource, startSimulated } from '../../local/simulated/index.ts';
import { createMarket, defaultCoins, rangeBetween, volumeBetween } from '../../local/simulated/market.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { FoldedCandle } from '../../shared/marketdata/candles.ts';
import type { CoinOffer } from '../../shared/marketdata/provider.ts';
import { type Chart, chart } from '../../shared/marketdata/serve/chart.ts';
import { priceNow } from '../../shared/marketdata/serve/price-now.ts';
import { type WindowParameters, windowOf } from '../../shared/marketdata/window.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/platform/time.ts';
import { createClient } from '../../shared/providers/client.ts';
import { coinpaprika } from '../../shared/providers/coinpaprika.ts';
import { seededRandom } from '../random.ts';
import { isLong } from '../setup/long.ts';
import { unhurried } from '../unhurried.ts';
import { closeOf, type ExpectedCandle, expectedCandles } from './oracle.ts';

/** `npm run test:long` tries more of them. */
const CASES = isLong ? 1_000 : 60;
const SEED = 1;
const market = createMarket(defaultCoins, SEED);

/** Moments about which mistakes like to gather: midnights, ends of months and years, a leap day and its neighbours. */
const moments = ['2027-12-31', '2028-02-28', '2028-02-29', '2028-03-01', '2028-04-30', '2028-07-15'].map(
  (day) => Date.parse(day) + DAY_MS,
);

let provider: SimulatedSource;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: moments[0] ?? 0 });
  provider = (await startSimulated({ seed: SEED, now: () => Date.now() })).provider;
});
afterEach(async () => {
  vi.useRealTimers();
  await provider.close();
});

type Plan = 'free' | 'paid';

/** One client over a life of random requests, at moments that move on by a little or a lot, with outages. */
async function live(plan: Plan) {
  const random = seededRandom(plan === 'free' ? 7 : 11);
  const pick = <T>(...of: readonly [T, ...T[]]): T => of[Math.floor(random() * of.length)] ?? of[0];
  const environment = {
    COINPAPRIKA_BASE_URL: provider.url,
    UPSTREAM_MONTHLY_BUDGET: '900000000',
    ...(plan === 'paid' && { COINPAPRIKA_API_KEY: 'a-key-of-a-paid-plan' }),
  };
  const newContainer = () => {
    const own = parseEnvironment(environment);
    return { own, client: createClient<CoinOffer>(unhurried(coinpaprika), own) };
  };
  let container = newContainer();
  let now = moments[0] ?? 0;
  const tally = { cases: 0, fresh: 0, stale: 0, refused: 0, complete: 0, withPrice: 0 };
  const lies: string[] = [];

  function moveOn(): void {
    const step = pick(0, 1, 1_000, 40_000, 10 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS, DAY_MS, 6 * DAY_MS);
    now += Math.floor(step * (0.5 + random()));
    if (random() < 0.3) {
      // To one side or the other of the next of those moments, seconds away from it.
      const next = moments.find((moment) => moment > now + MINUTE_MS) ?? Math.ceil(now / DAY_MS) * DAY_MS;
      if (next > now) now = Math.max(now, next + Math.floor((random() - 0.5) * 4 * MINUTE_MS));
    }
    if (now > Date.UTC(2029, 0)) {
      now = moments[0] ?? 0;
      container = newContainer();
    }
    // So close to midnight nothing is spent, which is tested elsewhere.
    const sinceMidnight = ((now + 6_000) % DAY_MS) - 6_000;
    if (Math.abs(sinceMidnight) < 6_000) now += 12_000;
    vi.setSystemTime(now);
  }

  function parameters(): WindowParameters {
    const interval = pick('1h', '24h', '24h', '7d', '14d', '30d', '90d', '365d');
    const limit = pick(1, 2, 5, 24, 30, 100, 365, 366);
    const reachMs = (interval === '1h' ? HOUR_MS : DAY_MS) * (plan === 'free' ? 20 : 900);
    const past = (ms: number) => {
      const iso = new Date(now - ms * random()).toISOString();
      return random() < 0.5 ? iso.slice(0, 10) : `${iso.slice(0, 19)}Z`;
    };
    const ends = random();
    const start = ends < 0.3 ? past(reachMs) : undefined;
    const end = ends > 0.2 && ends < 0.5 ? past(start === undefined ? reachMs : 0) : undefined;
    return { interval, limit, start, end };
  }

  for (let number = 0; number < CASES; number += 1) {
    moveOn();
    provider.setFault(random() < 0.25 ? pick('status=500', 'html', 'lie=impossible') : null);
    const asked = parameters();
    const id = pick('btc-bitcoin', 'eth-ethereum');
    const { own, client } = container;
    const coin = { id, name: id, symbol: id, rank: 1, is_new: false, is_active: true, type: 'coin' } as const;
    const errand = { coin: undefined, deadline: now + 10_000, open: async () => client };
    tally.cases += 1;
    try {
      // Without a ticker the coin of the candles could not be determined.
      if (random() < 0.5) {
        await priceNow(own, id, { ...errand, maxAge: 'shown' }).catch(() => {});
        tally.withPrice += 1;
      }
      const query = { id, window: windowOf(asked, now) };
      const answer = await chart(own, query, { ...errand, coin });
      tally[answer.stale ? 'stale' : 'fresh'] += 1;
      tally.complete += answer.candles.filter(({ complete }) => complete).length;
      const found = liesOf(answer, { asked, id, now, plan });
      lies.push(...found.map((lie) => `${number} ${JSON.stringify(asked)} at ${iso(now)}: ${lie}`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tally.refused += 1;
    }
  }
  return { tally, lies };
}

const iso = (time: number) => new Date(time).toISOString();

interface Case {
  readonly asked: WindowParameters;
  readonly id: string;
  readonly now: number;
  readonly plan: Plan;
}

/** Everything in an answer that is not so. */
function liesOf({ candles, quality, stale }: Chart, { asked, id, now, plan }: Case): string[] {
  const isHourly = asked.interval === '1h';
  const expected = expectedCandles(asked, now);
  const lies: string[] = [];
  if (candles.length > asked.limit) lies.push(`${candles.length} candles`);
  const opened = candles.map(({ time_open }) => Date.parse(time_open));
  if (opened.some((open, index) => index > 0 && open <= (opened[index - 1] ?? 0))) lies.push('not ascending');
  for (const candle of candles) {
    const open = Date.parse(candle.time_open);
    const place = expected.find(({ opens }) => opens.includes(open));
    if (place) lies.push(...liesOfCandle(candle, place, { id, now, isHourly, quality }));
    // A chart up to now ends earlier while the provider fails, and says so.
    else if (!stale || asked.start || asked.end)
      lies.push(`a candle of ${candle.time_open}, which is not part of the window`);
  }
  if (!stale) {
    // The free plan has a day of hours and a year of days, in which nothing may be missing.
    const reach = plan === 'paid' ? 0 : now - (isHourly ? DAY_MS - HOUR_MS : 364 * DAY_MS);
    for (const { opens } of expected) {
      const isReached = (opens[0] ?? 0) >= reach;
      if (isReached && !opened.some((open) => opens.includes(open)))
        lies.push(`nothing of ${iso(opens[0] ?? 0)}`);
    }
  }
  return lies;
}

function liesOfCandle(
  candle: FoldedCandle,
  { opens, size }: ExpectedCandle,
  { id, now, isHourly, quality }: { id: string; now: number; isHourly: boolean; quality: Chart['quality'] },
): string[] {
  const { open, high, low, close, complete, volume } = candle;
  const lies: string[] = [];
  if (high < Math.max(open, close) || low > Math.min(open, close))
    lies.push('a price outside of low and high');
  const last = opens.at(-1) ?? 0;
  if (!complete) return lies;
  if (opens.length < size) lies.push('a part that is said to be complete');
  if (closeOf(last, isHourly) > now) lies.push('complete before it has closed');
  const truth = opens.map((time) => truthOf(id, time, isHourly));
  const figures =
    quality === 'exact'
      ? {
          close: truth.at(-1)?.close,
          open: truth[0]?.open,
          high: Math.max(...truth.map((day) => day.high)),
          low: Math.min(...truth.map((day) => day.low)),
          volume: truth.reduce((sum, day) => sum + day.volume, 0),
        }
      : { close: truth.at(-1)?.close };
  for (const [name, value] of Object.entries(figures)) {
    const served = { open, high, low, close, volume }[name] ?? Number.NaN;
    if (Math.abs(served - (value ?? 0)) > Math.abs(served) * 1e-9) {
      lies.push(`${candle.time_open}: ${name} ${served} in place of ${value}`);
    }
  }
  return lies;
}

/** A closed candle as the simulated market has it, at any time of the request. */
function truthOf(id: string, open: number, isHourly: boolean) {
  const asset = market.asset(id);
  if (!asset) throw new Error(`The market has no ${id}`);
  const close = closeOf(open, isHourly);
  return { ...rangeBetween(asset, open, close), volume: Math.round(volumeBetween(asset, open, close)) };
}

describe.each(['free', 'paid'] as const)('random histories on the %s plan, beside an oracle', (plan) => {
  it('are true, fresh, stale or long-lived, across midnights, ends of months and leap days', async () => {
    const { tally, lies } = await live(plan);

    expect(lies.slice(0, 10)).toEqual([]);
    expect(tally.cases).toBe(CASES);
    // The cases are of every kind.
    expect(tally.fresh).toBeGreaterThan(CASES / 3);
    expect(tally.stale).toBeGreaterThan(CASES / 20);
    expect(tally.refused).toBeLessThan(CASES / 3);
    expect(tally.complete).toBeGreaterThan(CASES);
    expect(tally.withPrice).toBeGreaterThan(CASES / 4);
  }, 120_000);
});
