/** What the service makes of each lie of the simulated provider: no answer and no published list repeats one that can be known. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { type LieAbout, lieNames } from '../../local/simulated/lies.ts';
import { defaultCoins } from '../../local/simulated/market.ts';
import { buildRegistry, writeRegistry } from '../../registry-layer/build.ts';
import { publicFor } from '../../shared/http/cache-control.ts';
import type { LambdaHandler } from '../../shared/http/endpoint.ts';
import { type Candle, isoSeconds } from '../../shared/marketdata/candles.ts';
import { openSnapshot } from '../../shared/marketdata/store/snapshot.ts';
import { readTicker, type Ticker } from '../../shared/marketdata/ticker.ts';
import { BUCKET } from '../history/stored.ts';
import { startCold, useWorld } from '../history/world.ts';
import { type Answer, call } from '../pipeline/event.ts';

/** The lies, and a redirect to another coin, as faults. */
const falsehoods = [...lieNames('coins').map((name) => `lie=${name}` as const), 'redirect=other'] as const;
type Falsehood = `lie=${LieAbout<'coins'>}` | 'redirect=other';

/**
 * The text of the refusal, or:
 * - `true`: what is told is true, because the lie is none for this kind of answer, or is seen through;
 * - `part`: what is told is true, and some of it is missing;
 * - `told`: it is told, because nothing in the answer or beside it shows that it is false.
 */
type Outcome = RegExp | 'true' | 'part' | 'told';

/** Where nothing is known, and beside a good answer. */
type Outcomes = readonly [alone: Outcome, beside: Outcome];

const harmless = ['true', 'true'] as const;
const always = (text: RegExp) => [text, text] as const;
const redirected = always(/unusable answer: it redirects to something else$/);

const ofTicker: Record<Falsehood, Outcomes> = {
  'lie=identity': always(/implausible answer: the ticker of "[^"]+" in place of that of "[^"]+"$/),
  'lie=noprice': always(/implausible answer: no price$/),
  'lie=zero': always(/implausible answer: no price$/),
  'lie=negative': always(/implausible answer: a price of -\d/),
  'lie=giant': always(/implausible answer: a price of 1e\+308$/),
  // One coin alone may jump, by as much as it says.
  'lie=scaled': always(/implausible answer: a (market cap|change of 24 hours) of /),
  'lie=future': always(/implausible answer: a time in the future: 2099-/),
  // Told with its age.
  'lie=old': ['told', /a ticker of .* is known$/],
  'lie=outside': harmless,
  'lie=unordered': harmless,
  'lie=shuffled': harmless,
  'lie=duplicates': harmless,
  'lie=emptied': harmless,
  'lie=halved': harmless,
  'lie=impossible': harmless,
  'lie=onebad': harmless,
  'lie=bigtext': always(/implausible answer: a text of 7500000 characters$/),
  'lie=nameless': always(/implausible answer: no name or no symbol$/),
  'lie=echo': always(/the symbol ".*" in place of ".*"$/),
  // One coin alone may lose its rank.
  'lie=unranked': ['told', 'told'],
  'lie=shifted': harmless,
  'lie=inactive': harmless,
  'redirect=other': redirected,
};

const ofCandles: Record<Falsehood, Outcomes> = {
  'lie=identity': ['told', /prices far from those that are known$/],
  // Before its first trade a coin has rows without a price, or none.
  'lie=noprice': ['part', /nothing where \d+ rows are known$/],
  'lie=zero': always(/implausible answer: a price that is none/),
  'lie=negative': always(/implausible answer: a price that is none/),
  'lie=giant': always(/implausible answer: a price that is none/),
  'lie=scaled': ['told', /prices far from those that are known$/],
  'lie=future': always(/implausible answer: 2099-.*, outside of the window$/),
  'lie=old': ['told', /nothing after .* is known$/],
  'lie=outside': always(/implausible answer: .*, outside of the window$/),
  'lie=unordered': harmless,
  'lie=shuffled': harmless,
  'lie=duplicates': always(/implausible answer: two rows for one interval/),
  'lie=emptied': ['part', /nothing where \d+ rows are known$/],
  'lie=halved': ['part', /\d+ of \d+ known rows$/],
  'lie=impossible': always(/implausible answer: a price outside of low and high/),
  'lie=onebad': harmless, // in the middle of a year, outside of the windows
  'lie=bigtext': harmless,
  'lie=echo': harmless,
  'lie=nameless': harmless,
  'lie=shifted': harmless,
  'lie=inactive': harmless,
  'lie=unranked': harmless,
  'redirect=other': redirected,
};

/** They have neither low nor high, and of hours there is but a day. */
const ofPrices: Record<Falsehood, Outcomes> = {
  ...ofCandles,
  'lie=impossible': harmless,
  'lie=onebad': ['part', 'true'],
};

/** As the registry says. */
const ofOthers = /tickers cannot be true, such as .* in place of /;

const ofTickers: Record<Falsehood, Outcomes> = {
  'lie=identity': [ofOthers, /the prices of a tenth of all \d+ coins jumped at once$/],
  'lie=noprice': always(/no tickers .*: no price/),
  'lie=zero': always(/no tickers .*: no price/),
  'lie=negative': always(/no tickers .*: a price of -\d/),
  'lie=giant': always(/no tickers .*: a price of 1e\+308/),
  'lie=scaled': ['told', /the prices of a tenth of all \d+ coins jumped at once$/],
  'lie=future': always(/no tickers .*: a time in the future: 2099-/),
  'lie=old': ['told', /\d+ of \d+ tickers are older than the published ones$/],
  'lie=outside': harmless,
  'lie=unordered': harmless,
  'lie=shuffled': harmless,
  'lie=duplicates': harmless,
  'lie=emptied': always(/no tickers$/),
  'lie=halved': ['part', /\d+ tickers, where the published list has \d+$/],
  'lie=impossible': harmless,
  'lie=onebad': ['part', 'part'],
  'lie=bigtext': ['part', /\d+ tickers, where .*: a text of 10000 characters/],
  'lie=echo': [ofOthers, /another name or symbol than published, or no rank$/],
  'lie=nameless': always(/no tickers .*: no name or no symbol/),
  'lie=shifted': [ofOthers, /another name or symbol than published, or no rank$/],
  'lie=unranked': ['told', /another name or symbol than published, or no rank$/],
  'lie=inactive': harmless,
  'redirect=other': harmless,
};

const NOW = Date.UTC(2026, 8, 18, 12, 10, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Of every ticker and chart. */
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
/** Beside the world's environment. */
function stubSettings(): void {
  vi.stubEnv('REGISTRY_PATH', registry);
  vi.stubEnv('HISTORY_BUCKET', undefined);
  vi.stubEnv('TICKER_FRESH_SECONDS', '1');
  vi.stubEnv('STALE_WAIT_MS', '5000');
}

const ids = defaultCoins.map(({ id }) => id);
const dataOf = <T>({ status, body }: Answer): T => {
  expect([status, body]).toMatchObject([200, { success: true }]);
  return (body as { data: T }).data;
};
const candlesOf = (answer: Answer) => dataOf<{ readonly data: readonly Candle[] }>(answer).data;
/** As the free plan tells candles: of each interval the price at its end. */
const closesOf = (candles: readonly Candle[]) =>
  candles.map(({ time_open, close }) => ({ time_open, close }));
/** The provider tells more to those who have a key. */
const everything = { headers: { authorization: 'a-key' } };

interface Kind {
  readonly plan: 'paid' | 'free';
  readonly load: () => Promise<{ readonly handler: LambdaHandler }>;
  readonly path: (id: string) => string;
  readonly query?: string;
  readonly outcomes: Record<Falsehood, Outcomes>;
  /** A true answer's `x-data-quality`; of a chart without a ticker to compare it with. */
  readonly quality: string;
  /** What the provider itself says of a coin, as the service would. */
  readonly truth: (url: string, id: string) => Promise<unknown>;
  /** What of an answer's data can be compared with that. */
  readonly told: (answer: Answer) => unknown;
}

const ticker: Kind = {
  plan: 'paid',
  load: () => import('../../functions/marketdata/ticker/handler.ts'),
  path: (id) => `/api/marketdata/ticker/${id}`,
  outcomes: ofTicker,
  quality: 'exact',
  truth: async (url, id) =>
    readTicker(await (await fetch(`${url}/tickers/${encodeURIComponent(id)}`, everything)).json()),
  told: (answer) => dataOf(answer),
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
    load: () => import('../../functions/marketdata/ohlcv/handler.ts'),
    path: (id) => `/api/marketdata/ohlcv/${id}`,
    query: `interval=${interval}&limit=${count}`,
    outcomes: ofCandles,
    quality: 'derived',
    truth: candles,
    told: candlesOf,
  };
}

const days = chart('24h', 30, 24 * HOUR_MS);
const hours = chart('1h', 12, HOUR_MS);
const hoursOfPrices: Kind = {
  ...hours,
  plan: 'free',
  outcomes: ofPrices,
  truth: async (url, id) => closesOf(await hours.truth(url, id)),
  told: (answer) => closesOf(candlesOf(answer)),
};

describe.each<[string, Kind]>([
  ['a ticker', ticker],
  ['a chart of days', days],
  ['a chart of hours that is made of prices', hoursOfPrices],
])(
  '%s, of a provider that lies',
  (_name, { plan, load, path, query = '', outcomes, quality, truth, told }) => {
    const world = useWorld({ now: NOW, plan });
    let handler: LambdaHandler;
    beforeEach(async () => {
      stubSettings();
      handler = await startCold(world().s3, load);
    });
    const get = (id: string) => call(handler, { path: path(id), pathParameters: { id }, query });
    const lie = (falsehood: string | null) => world().provider.setFault(falsehood);
    const truthOf = (id: string) => truth(world().provider.url, id);

    async function expectTruth(id: string): Promise<void> {
      const answer = await get(id);
      expect(told(answer)).toEqual(await truthOf(id));
      expect(answer.headers['x-data-quality']).toBe(quality);
    }

    /** What a lie makes of an answer that is not refused. */
    async function expectTold(outcome: Exclude<Outcome, RegExp>, answer: Answer, id: string): Promise<void> {
      lie(null);
      const [given, proper] = [told(answer), await truthOf(id)];
      if (outcome === 'true') return expect(given).toEqual(proper);
      expect(given).not.toEqual(proper);
      if (outcome === 'part')
        expect(proper).toEqual(
          expect.arrayContaining(closesOf(candlesOf(answer)).map((one) => expect.objectContaining(one))),
        );
    }

    it.each(falsehoods)(
      'if nothing is known, is a 502 that says why, unless nobody can tell: %s',
      async (falsehood) => {
        const [id = ''] = ids.slice(60);
        const [outcome] = outcomes[falsehood];
        lie(falsehood);

        const answer = await get(id);

        if (!(outcome instanceof RegExp)) return expectTold(outcome, answer, id);
        expect(answer).toMatchObject({
          status: 502,
          headers: { 'cache-control': 'no-store' },
          body: { success: false, error: expect.stringMatching(outcome) },
        });
        expect((answer.body as { error: string }).error).toMatch(/^CoinPaprika /);
        lie(null);
        await expectTruth(id);
      },
    );

    it.each(falsehoods)(
      'is the last good one, marked stale, until the truth is told again: %s',
      async (falsehood) => {
        const [id = ''] = ids;
        const [, outcome] = outcomes[falsehood];
        await expectTruth(id);
        const good = [told(await get(id))].flat();
        vi.setSystemTime(NOW + PAST_LIFETIME_MS);
        lie(falsehood);

        const answer = await get(id);

        if (!(outcome instanceof RegExp)) return expectTold(outcome, answer, id);
        const kept = [told(answer)].flat();
        expect(kept.length).toBeGreaterThan(0);
        expect(kept).toEqual(good.slice(good.length - kept.length));
        expect(answer.headers).toMatchObject({ 'x-data-quality': 'stale', 'cache-control': publicFor(0) });
        const ageMs = Date.now() - Date.parse(String(answer.headers['x-data-time']));
        expect(ageMs).toBeGreaterThanOrEqual(2 * HOUR_MS);
        expect(ageMs).toBeLessThan(2 * HOUR_MS + 4 * MINUTE_MS);
        lie(null);
        expect((await get(id)).headers['x-data-quality']).toBe('stale'); // it is not asked again at once
        vi.setSystemTime(NOW + PAST_LIFETIME_MS + MINUTE_MS);
        await expectTruth(id);
      },
    );

    it('of one coin does not hurt others', async () => {
      const [liar = '', other = ''] = ids.slice(90);
      lie(`lie=negative@/${liar}`);

      const answers = await Promise.all([get(liar), get(other)]);

      expect(answers[0]).toMatchObject({ status: 502 });
      expect(told(answers[1])).toEqual(await truthOf(other));
    });
  },
);

describe('a list of a provider that lies', () => {
  const OBJECT = `/${BUCKET}/snapshot/tickers.v3`;
  const world = useWorld({ now: NOW, plan: 'free' });
  let run: typeof import('../../functions/marketdata/jobs/snapshot/handler.ts').handler;
  beforeEach(async () => {
    stubSettings();
    vi.stubEnv('SNAPSHOT_BUCKET', BUCKET);
    run = await startCold(world().s3, () => import('../../functions/marketdata/jobs/snapshot/handler.ts'));
  });
  const lie = (falsehood: string | null) => world().provider.setFault(falsehood);
  const published = () => openSnapshot(world().s3.objects.get(OBJECT) ?? Buffer.of());

  /** What a lie makes of a list that is published. */
  async function expectPublished(outcome: Exclude<Outcome, RegExp>): Promise<void> {
    lie(null);
    const list: unknown = await (await fetch(`${world().provider.url}/tickers`)).json();
    const rows: Ticker[] = (list as unknown[]).map(readTicker); // a list: the test server is ours
    const told = rows.map(({ id }) => published().ticker(id)?.data);
    if (outcome === 'true') return expect(told).toEqual(rows);
    expect(told).not.toEqual(rows);
    const isOfNow = (row?: Ticker) => Date.parse(row?.last_updated ?? '') >= Date.now() - MINUTE_MS;
    if (outcome === 'part') expect(rows).toEqual(expect.arrayContaining(told.filter(isOfNow)));
  }

  it.each(falsehoods)('is not the first that is published, if it can be known: %s', async (falsehood) => {
    const [outcome] = ofTickers[falsehood];
    lie(falsehood);

    if (!(outcome instanceof RegExp)) {
      await run();
      return expectPublished(outcome);
    }
    await expect(run()).rejects.toThrow(outcome);
    expect(world().s3.objects.has(OBJECT)).toBe(false);
  });

  it.each(falsehoods)('is not published over a good one, and the next true one is: %s', async (falsehood) => {
    const [, outcome] = ofTickers[falsehood];
    await run();
    const good = world().s3.objects.get(OBJECT);
    vi.setSystemTime(NOW + 10 * MINUTE_MS);
    lie(falsehood);

    if (!(outcome instanceof RegExp)) {
      await run();
      return expectPublished(outcome);
    }
    await expect(run()).rejects.toThrow(outcome);
    expect(world().s3.objects.get(OBJECT)).toBe(good);
    lie(null);
    vi.setSystemTime(NOW + 20 * MINUTE_MS);
    await run();
    await expectPublished('true');
  });
});
