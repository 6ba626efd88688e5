import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultCoins } from '../../local/simulated/market.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import { type Candle, isoSeconds } from '../../shared/marketdata/candles.ts';
import { readTicker } from '../../shared/marketdata/ticker.ts';
import { type Clock, clockAt } from './clock.ts';
import { type Falsehood, falsehoods, type Outcome, ofCandles, ofPrices, ofTicker } from './lies.ts';
import { type Answer, ageOf, dataOf, expectFailure, type Service, startService } from './service.ts';

const NOW = Date.UTC(2026, 8, 18, 12, 10, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of every ticker and chart. */
const PAST_LIFETIME_MS = 2 * HOUR_MS + MINUTE_MS;
const env = {
  TICKER_FRESH_SECONDS: '1',
  UPSTREAM_TIMEOUT_MS: '5000',
  UPSTREAM_MONTHLY_BUDGET: '900000000',
  STALE_WAIT_MS: '5000', // what is told instead of a lie must not be there for its slowness
};

let clock: Clock;
const services = new Map<string, Service>();
beforeAll(async () => {
  clock = clockAt(NOW);
  for (const plan of ['paid', 'free'] as const) {
    const options = { execArgv: clock.execArgv, env, provider: { simulated: { plan } } };
    services.set(plan, await startService(options));
  }
});
afterAll(async () => {
  await Promise.all([...services.values()].map(({ local }) => local.close()));
  clock.close();
});

const ids = defaultCoins.map(({ id }) => encodeURIComponent(id));
/** A coin of its own for each lie, so that nothing is known of it. */
const coinOf = (falsehood: Falsehood, among: number) => ids[falsehoods.indexOf(falsehood) + among] ?? '';

interface Asked {
  readonly plan: 'paid' | 'free';
  readonly path: (id: string) => string;
  readonly outcomes: Record<Falsehood, readonly [Outcome, Outcome]>;
  /** A true answer's `x-data-quality`. */
  readonly quality: string;
  /** The provider's own words about a coin, as the service would tell them. */
  readonly truth: (url: string, id: string) => Promise<unknown>;
  /** What of an answer's data can be compared with that. */
  readonly told: (answer: Answer) => unknown;
}

/** The provider tells more to those who have a key. */
const everything = { headers: { authorization: 'a-key' } };

const ticker: Asked = {
  plan: 'paid',
  path: (id) => `/api/marketdata/ticker/${id}`,
  outcomes: ofTicker,
  quality: 'exact',
  truth: async (url, id) => readTicker(await (await fetch(`${url}/tickers/${id}`, everything)).json()),
  told: (answer) => dataOf(answer),
};

function chart(interval: '24h' | '1h', count: number, stepMs: number): Asked {
  return {
    plan: 'paid',
    path: (id) => `/api/marketdata/ohlcv/${id}?interval=${interval}&limit=${count}`,
    outcomes: ofCandles,
    quality: 'derived', // nobody has asked for the coin's ticker, by which one could tell whose candles these are
    truth: async (url, id) => {
      const start = isoSeconds(Math.floor(Date.now() / stepMs) * stepMs - (count - 1) * stepMs);
      const path = `/coins/${id}/ohlcv/historical?interval=${interval}&start=${start}&limit=${count}`;
      return (await fetch(url + path, everything)).json();
    },
    told: candlesOf,
  };
}

/** As the free plan tells it: of each interval the price at its end. */
function derived(exact: Asked): Asked {
  const closes = (candles: unknown) =>
    (candles as Candle[]).map(({ time_open, close }) => ({ time_open, close })); // from just above
  return {
    ...exact,
    plan: 'free',
    outcomes: ofPrices,
    quality: 'derived',
    truth: async (url, id) => closes(await exact.truth(url, id)),
    told: (answer) => closes(exact.told(answer)),
  };
}

function candlesOf(answer: Answer): unknown[] {
  return dataOf<{ readonly data: unknown[] }>(answer).data;
}

function serviceOf({ plan }: Asked): Service {
  const service = services.get(plan);
  if (!service) throw new Error(`There is no service on the ${plan} plan`);
  return service;
}

describe.each([
  ['a ticker', ticker],
  ['a chart of days', chart('24h', 30, 24 * HOUR_MS)],
  ['a chart of hours', chart('1h', 12, HOUR_MS)],
  ['a chart of hours that is made of prices', derived(chart('1h', 12, HOUR_MS))],
])('%s, of a provider that lies', (_name, asked) => {
  const { path, outcomes, quality, told } = asked;
  const get = (id: string) => serviceOf(asked).get(path(id));
  const truth = (id: string) => asked.truth(serviceOf(asked).provider.url, id);
  const lie = (falsehood: string | null) => serviceOf(asked).provider.setFault(falsehood);

  async function expectTruth(id: string): Promise<void> {
    const answer = await get(id);
    expect(told(answer)).toEqual(await truth(id));
    expect(answer.headers['x-data-quality']).toBe(quality);
  }

  /** What a lie makes of an answer that is not refused. */
  async function expectTold(outcome: Exclude<Outcome, RegExp>, answer: Answer, id: string): Promise<void> {
    lie(null);
    const [given, proper] = [told(answer), await truth(id)];
    if (outcome === 'true') return expect(given).toEqual(proper);
    expect(given).not.toEqual(proper);
    if (outcome === 'part') expect(proper).toEqual(expect.arrayContaining(candlesOf(answer).map(matching)));
  }

  it.each(falsehoods)(
    'if nothing is known, is a 502 that says why, unless nobody can tell: %s',
    async (falsehood) => {
      const id = coinOf(falsehood, 60);
      const [outcome] = outcomes[falsehood];
      lie(falsehood);

      const answer = await get(id);

      if (!(outcome instanceof RegExp)) return expectTold(outcome, answer, id);
      expectFailure(answer, 502, outcome);
      expect((answer.body as { error: string }).error).toMatch(/^CoinPaprika /);
      lie(null);
      await expectTruth(id);
    },
  );

  it.each(falsehoods)(
    'is the last good one, marked stale, until the truth is told again: %s',
    async (falsehood) => {
      const id = coinOf(falsehood, 0);
      const [, outcome] = outcomes[falsehood];
      lie(null);
      await expectTruth(id);
      const good = [told(await get(id))].flat();
      clock.moveBy(PAST_LIFETIME_MS);
      lie(falsehood);

      const answer = await get(id);

      if (!(outcome instanceof RegExp)) return expectTold(outcome, answer, id);
      const kept = [told(answer)].flat();
      expect(kept.length).toBeGreaterThan(0);
      expect(kept).toEqual(good.slice(good.length - kept.length));
      expect(answer.headers).toMatchObject({
        'x-data-quality': 'stale',
        'cache-control': publicFor(0),
      });
      expect(ageOf(answer)).toBeGreaterThanOrEqual(7200);
      expect(ageOf(answer)).toBeLessThan(7400);
      lie(null);
      expect((await get(id)).headers['x-data-quality']).toBe('stale'); // it is not asked again at once
      clock.moveBy(MINUTE_MS);
      await expectTruth(id);
    },
  );

  it('of one coin does not hurt others', async () => {
    const [liar, other] = [ids[90] ?? '', ids[91] ?? ''];
    lie(`lie=negative@/${liar}`);

    const answers = await Promise.all([get(liar), get(other)]);

    expectFailure(answers[0], 502, outcomes['lie=negative'][0] as RegExp);
    expect(told(answers[1])).toEqual(await truth(other));
  });
});

/** For `arrayContaining`: a candle of which not all may be compared. */
function matching(candle: unknown): unknown {
  const { time_open, close } = candle as Candle; // told in a checked answer
  return expect.objectContaining({ time_open, close });
}
