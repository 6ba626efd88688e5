/** No response repeats a lie of the simulated provider that can be recognized. Lies that do not apply to a response are left out. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { route as ohlcvRoute } from '../../functions/marketdata/ohlcv/route.ts';
import { route as tickerRoute } from '../../functions/marketdata/ticker/route.ts';
import type { LieAbout } from '../../local/simulated/lies.ts';
import { defaultCoins } from '../../local/simulated/market.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import type { Candle } from '../../shared/marketdata/candles.ts';
import { readTicker } from '../../shared/marketdata/ticker.ts';
import { isoSeconds } from '../../shared/platform/time.ts';
import { useWorld } from '../history/world.ts';
import type { Answer } from '../pipeline/event.ts';
import { underTest } from '../pipeline/under-test.ts';

/** A lie, or a redirect to another coin, as a fault. */
type Falsehood = `lie=${LieAbout<'coins'>}` | 'redirect=other';

/**
 * The text of the refusal, or:
 * - `true`: the answer is true, because the lie is none for this kind of answer, or is seen through;
 * - `part`: the answer is true, and some of it is missing;
 * - `repeated`: the answer repeats the lie, because nothing in it or beside it shows that it is false.
 */
type Outcome = RegExp | 'true' | 'part' | 'repeated';

/** The outcomes where nothing is known, and beside a good answer. */
type Outcomes = readonly [alone: Outcome, beside: Outcome];

const harmless = ['true', 'true'] as const;
const always = (text: RegExp) => [text, text] as const;
const redirected = always(/unusable answer: it redirects to something else$/);

const ofTicker: Partial<Record<Falsehood, Outcomes>> = {
  'lie=identity': always(/implausible answer: the ticker of "[^"]+" in place of that of "[^"]+"$/),
  'lie=noprice': always(/implausible answer: no price$/),
  'lie=zero': always(/implausible answer: no price$/),
  'lie=negative': always(/implausible answer: a price of -\d/),
  'lie=giant': always(/implausible answer: a price of 1e\+308$/),
  // One coin alone may jump, by as much as it says.
  'lie=scaled': always(/implausible answer: a (market cap|change of 24 hours) of /),
  'lie=future': always(/implausible answer: a time in the future: 2099-/),
  // Repeated with its age.
  'lie=old': ['repeated', /a ticker of .* is known$/],
  'lie=bigtext': always(/implausible answer: a text of 7500000 characters$/),
  'lie=nameless': always(/implausible answer: no name or no symbol$/),
  // Beside a known ticker the figures show that it is the same coin, and the names are the registry's.
  'lie=echo': [/the symbol ".*" in place of ".*"$/, 'true'],
  // One coin alone may lose its rank.
  'lie=unranked': ['repeated', 'repeated'],
  'redirect=other': redirected,
};

const ofCandles: Partial<Record<Falsehood, Outcomes>> = {
  'lie=identity': ['repeated', /prices far from those that are known$/],
  // Before its first trade a coin has rows without a price, or none.
  'lie=noprice': ['part', /nothing where \d+ rows are known$/],
  'lie=zero': always(/implausible answer: a price that is none/),
  'lie=negative': always(/implausible answer: a price that is none/),
  'lie=giant': always(/implausible answer: a price that is none/),
  'lie=scaled': ['repeated', /prices far from those that are known$/],
  'lie=future': always(/implausible answer: 2099-.*, outside of the window$/),
  'lie=old': ['repeated', /nothing after .* is known$/],
  'lie=outside': always(/implausible answer: .*, outside of the window$/),
  'lie=duplicates': always(/implausible answer: two rows for one interval/),
  'lie=emptied': ['part', /nothing where \d+ rows are known$/],
  'lie=halved': ['part', /\d+ of \d+ known rows$/],
  'lie=impossible': always(/implausible answer: a price outside of low and high/),
  'lie=unordered': harmless,
  'lie=onebad': harmless,
  'redirect=other': redirected,
};

/** They have neither low nor high, and of hours there is but a day. */
const ofPrices: Partial<Record<Falsehood, Outcomes>> = {
  ...ofCandles,
  'lie=impossible': harmless,
  'lie=onebad': ['part', 'true'],
};

const NOW = Date.UTC(2026, 8, 18, 12, 10, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The time after which every ticker and chart is past its lifetime. */
const PAST_LIFETIME_MS = 2 * HOUR_MS + MINUTE_MS;

let registry: string;
beforeAll(async () => {
  registry = mkdtempSync(join(inject('runFolder'), 'lies-registry-'));
  const entries = defaultCoins.map((coin) => ({
    ...coin,
    is_new: false,
    is_active: true,
    type: 'coin' as const,
  }));
  await writeRegistry(registry, buildRegistry(entries, { source: 'simulated' }));
});

const ids = defaultCoins.map(({ id }) => id);
const tickers = underTest(tickerRoute, () => import('../../functions/marketdata/ticker/handler.ts'));
const charts = underTest(ohlcvRoute, () => import('../../functions/marketdata/ohlcv/handler.ts'));
const candlesOf = (answer: Answer): readonly Candle[] => charts.dataIn(answer).data;
/** What the free plan has of candles: of each interval the price at its end. */
const closesOf = (candles: readonly Candle[]) =>
  candles.map(({ time_open, close }) => ({ time_open, close }));
/** A request with a key, for which the provider gives more. */
const everything = { headers: { authorization: 'a-key' } };

interface Kind {
  readonly plan: 'paid' | 'free';
  readonly ask: typeof tickers.ask;
  readonly query?: string;
  readonly outcomes: Partial<Record<Falsehood, Outcomes>>;
  /** A true answer's `x-data-quality`; of a chart without a ticker to compare it with. */
  readonly quality: string;
  /** What the provider itself says of a coin, as the service would. */
  readonly truth: (url: string, id: string) => Promise<unknown>;
  /** What of an answer's data can be compared with that. */
  readonly comparable: (answer: Answer) => unknown;
}

const ticker: Kind = {
  plan: 'paid',
  ask: tickers.ask,
  outcomes: ofTicker,
  quality: 'exact',
  truth: async (url, id) =>
    readTicker(await (await fetch(`${url}/tickers/${encodeURIComponent(id)}`, everything)).json()),
  comparable: tickers.dataIn,
};

function chart(
  interval: '24h' | '1h',
  count: number,
  stepMs: number,
): Omit<Kind, 'truth'> & { truth: typeof candles } {
  const candles = async (url: string, id: string): Promise<Candle[]> => {
    const start = isoSeconds(Math.floor(Date.now() / stepMs) * stepMs - (count - 1) * stepMs);
    const path = `/coins/${encodeURIComponent(id)}/ohlcv/historical?interval=${interval}&start=${start}&limit=${count}`;
    return (await fetch(url + path, everything)).json() as Promise<Candle[]>; // the test server is ours
  };
  return {
    plan: 'paid',
    ask: charts.ask,
    query: `interval=${interval}&limit=${count}`,
    outcomes: ofCandles,
    quality: 'derived',
    truth: candles,
    comparable: candlesOf,
  };
}

const days = chart('24h', 30, 24 * HOUR_MS);
const hours = chart('1h', 12, HOUR_MS);
const hoursOfPrices: Kind = {
  ...hours,
  plan: 'free',
  outcomes: ofPrices,
  truth: async (url, id) => closesOf(await hours.truth(url, id)),
  comparable: (answer) => closesOf(candlesOf(answer)),
};

describe.each<[string, Kind]>([
  ['a ticker', ticker],
  ['a chart of days', days],
  ['a chart of hours that is made of prices', hoursOfPrices],
])(
  '%s, of a provider that lies',
  (_name, { plan, ask, query = '', outcomes, quality, truth, comparable }) => {
    const world = useWorld({ now: NOW, plan });
    const falsehoods = Object.entries(outcomes);
    beforeEach(() => {
      vi.stubEnv('REGISTRY_PATH', registry);
      vi.stubEnv('HISTORY_BUCKET', undefined);
      vi.stubEnv('TICKER_FRESH_SECONDS', '1');
      vi.stubEnv('STALE_WAIT_MS', '5000');
    });
    const get = (id: string) => ask({ pathParameters: { id }, query });
    const lie = (falsehood: string | null) => world().provider.setFault(falsehood);
    const truthOf = (id: string) => truth(world().provider.url, id);

    async function expectTruth(id: string): Promise<void> {
      const answer = await get(id);
      expect(comparable(answer)).toEqual(await truthOf(id));
      expect(answer.headers['x-data-quality']).toBe(quality);
    }

    /** What a lie makes of an answer that is not refused. */
    async function expectAnswer(
      outcome: Exclude<Outcome, RegExp>,
      answer: Answer,
      id: string,
    ): Promise<void> {
      lie(null);
      const [given, proper] = [comparable(answer), await truthOf(id)];
      if (outcome === 'true') return expect(given).toEqual(proper);
      expect(given).not.toEqual(proper);
      if (outcome === 'part')
        expect(proper).toEqual(
          expect.arrayContaining(closesOf(candlesOf(answer)).map((one) => expect.objectContaining(one))),
        );
    }

    it.each(falsehoods)(
      'if nothing is known, is a 502 that says why, unless it cannot be known: %s',
      async (falsehood, [outcome]) => {
        const [id = ''] = ids.slice(60);
        lie(falsehood);

        const answer = await get(id);

        if (!(outcome instanceof RegExp)) return expectAnswer(outcome, answer, id);
        expect(answer).toMatchObject({
          status: 502,
          headers: { 'cache-control': 'no-store' },
          body: { success: false, error: expect.stringMatching(outcome) },
        });
        expect((answer.body as { error: string }).error).toMatch(/^CoinPaprika /);
        lie(null);
        // What is refused for its symbol is not paid for again within an hour.
        if (falsehood === 'lie=echo') vi.setSystemTime(NOW + HOUR_MS);
        await expectTruth(id);
      },
    );

    it.each(falsehoods)(
      'is the last good one, marked stale, until the provider is truthful again: %s',
      async (falsehood, [, outcome]) => {
        const [id = ''] = ids;
        await expectTruth(id);
        const good = [comparable(await get(id))].flat();
        vi.setSystemTime(NOW + PAST_LIFETIME_MS);
        lie(falsehood);

        const answer = await get(id);

        if (!(outcome instanceof RegExp)) return expectAnswer(outcome, answer, id);
        const kept = [comparable(answer)].flat();
        expect(kept.length).toBeGreaterThan(0);
        expect(kept).toEqual(good.slice(good.length - kept.length));
        expect(answer.headers).toMatchObject({ 'x-data-quality': 'stale', 'cache-control': publicFor(0) });
        const ageMs = Date.now() - Date.parse(String(answer.headers['x-data-time']));
        expect(ageMs).toBeGreaterThanOrEqual(2 * HOUR_MS);
        expect(ageMs).toBeLessThan(2 * HOUR_MS + 4 * MINUTE_MS);
        lie(null);
        expect((await get(id)).headers['x-data-quality']).toBe('stale'); // the provider is not called again at once
        vi.setSystemTime(NOW + PAST_LIFETIME_MS + MINUTE_MS);
        await expectTruth(id);
      },
    );

    it('of one coin does not hurt others', async () => {
      const [liar = '', other = ''] = ids.slice(90);
      lie(`lie=negative@/${liar}`);

      const answers = await Promise.all([get(liar), get(other)]);

      expect(answers[0]).toMatchObject({ status: 502 });
      expect(comparable(answers[1])).toEqual(await truthOf(other));
    });
  },
);
