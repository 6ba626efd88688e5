/** One suite for every provider: what market data relies on, whatever protocol is behind it. */
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { route as tickerRoute } from '../../functions/marketdata/ticker/route.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import { isoSeconds } from '../../shared/marketdata/candles.ts';
import {
  type MarketDataProvider,
  type Offer,
  type Offers,
  PlanRefusal,
  type ProviderRequest,
  type Received,
} from '../../shared/marketdata/provider.ts';
import { windowOf } from '../../shared/marketdata/window.ts';
import { parseEnvironment } from '../../shared/platform/environment.ts';
import { createClient } from '../../shared/providers/client/client.ts';
import { parseEntries } from '../../shared/registry/parse-entries.ts';
import { type Loopback, respond, respondJson, startLoopback } from '../pipeline/loopback.ts';

export interface ProviderUnderTest {
  readonly provider: MarketDataProvider;
  /** A server that speaks the provider's protocol and offers everything that the provider does. */
  start(): Promise<{
    readonly url: string;
    /** Those that it prices at all times, of a source of token prices. None prices `chain:no-such-token`. */
    readonly tokens?: readonly { readonly name: string }[];
    close(): Promise<void>;
  }>;
  /** A coin that the server knows, of a provider of coins. Every server knows nothing of `no-such-coin`. */
  readonly coinId?: string;
  /** A market that the server knows, with trades at all times, of an exchange. None knows `NO-SUCH`. */
  readonly market?: string;
}

const UNKNOWN = 'no-such-coin';
const UNKNOWN_MARKET = 'NO-SUCH';
const UNKNOWN_TOKEN = 'chain:no-such-token';
const KEY = 'a-key-of-the-provider-0123456789';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Tests that a provider gives what the port promises, against a server that speaks its protocol. */
export function testProvider({ provider, start, coinId = '', market = '' }: ProviderUnderTest): void {
  const { title, settings } = provider;
  const offers = (
    ['ticker', 'tickers', 'candles', 'prices', 'coins', 'markets', 'platforms', 'tokenPrices'] as const
  ).filter((name) => provider[name]);

  describe(`the provider ${provider.name}`, () => {
    let server: Awaited<ReturnType<ProviderUnderTest['start']>>;
    let front: Loopback;
    let keys: (string | undefined)[];
    const proxy: RequestListener = async (request, response) => {
      keys.push(JSON.stringify(request.headers).includes(KEY) ? KEY : undefined);
      const answer = await fetch(new URL(request.url ?? '', server.url), { redirect: 'manual' });
      const type = answer.headers.get('content-type') ?? '';
      response
        .writeHead(answer.status, { 'content-type': type })
        .end(Buffer.from(await answer.arrayBuffer()));
    };
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.close());
    beforeEach(async () => {
      keys = [];
      front = await startLoopback(proxy);
    });
    afterEach(() => front.close());

    function fetchFrom<T>(requestFor: (offered: Offers) => ProviderRequest<T>): Promise<Received<T>> {
      const { pathname } = new URL(server.url);
      const environment = parseEnvironment({
        [settings.baseUrl]: front.url + pathname.replace(/\/$/, ''),
        ...(settings.key && { [settings.key]: KEY }),
        UPSTREAM_TIMEOUT_MS: '900', // less than what the slowest of them wants between two requests
      });
      const client = createClient<Offer>(provider as MarketDataProvider & Offers, environment);
      // Only what is offered is asked for.
      return client.fetch(requestFor(client.provider), Date.now() + 5_000);
    }
    const query = (interval: '1h' | '24h', limit: number, id = coinId) =>
      ({ id, quote: 'usd', window: windowOf({ interval, limit }, Date.now()) }) as const;
    const anything = (offered: Offers): ProviderRequest<unknown> => {
      const [first] = offers;
      if (first === 'ticker') return offered.ticker(coinId);
      if (first === 'candles' || first === 'prices') return offered.candles(query('24h', 1));
      if (first === 'markets') return offered.markets();
      if (first === 'platforms') return offered.platforms();
      if (first === 'tokenPrices') return offered.tokenPrices([UNKNOWN_TOKEN]);
      return first === 'tickers' ? offered.tickers() : offered.coins();
    };

    it('says who it is, on whose terms, within which limits, and what it reads', () => {
      expect(provider.name).toMatch(/^[a-z0-9]{1,28}$/);
      expect(title).not.toBe('');
      expect(provider.terms.summary).not.toBe('');
      expect(provider.terms.url).toMatch(/^https:/);
      expect(provider.limits.requestsPerSecond).toBeGreaterThan(0);
      expect(offers.length).toBeGreaterThan(0);
      const { baseUrl } = provider.endpoint({ [settings.baseUrl]: 'http://127.0.0.1:1/base' });
      expect(baseUrl).toBe('http://127.0.0.1:1/base');
      expect(new URL(provider.endpoint({}).baseUrl).protocol).toBe('https:');
    });

    if (settings.key)
      it('sends its key with each request, and never tells it', async () => {
        await fetchFrom(anything);
        expect(keys).toEqual([KEY]);

        front.answer((request, response) => respondJson({ error: request.headers }, 400)(request, response));
        await expect(fetchFrom(anything)).rejects.toThrow(
          expect.objectContaining({ message: expect.not.stringContaining(KEY) }),
        );
      });

    if (provider.ticker) {
      it('gives the ticker of the coin that is asked for, in the shape of the route', async () => {
        const { data, source, madeAt } = await fetchFrom(({ ticker }) => ticker(coinId));

        expect(compileResponse(tickerRoute.response)(data)).toEqual([]);
        expect(data.id).toBe(coinId);
        expect(data.quotes.USD.price).toBeGreaterThan(0);
        expect([provider.name, 'simulated']).toContain(source);
        expect(Math.abs(Date.now() - madeAt)).toBeLessThan(HOUR_MS);
      });

      it('says 404 of a coin that it does not know, by the id that was asked for', async () => {
        await expect(fetchFrom(({ ticker }) => ticker(UNKNOWN))).rejects.toMatchObject({
          statusCode: 404,
          message: `Unknown coin id: ${UNKNOWN}`,
        });
      });

      it.each(['toto-totoro-inu-?', '战旗-战旗', 'a/../b', 'a b', '-x-', '\ud800'])(
        'asks for the odd id %j and for nothing else',
        async (id) => {
          await fetchFrom(({ ticker }) => ticker(id)).catch(() => {});

          const [asked = '', ...others] = front.requests;
          expect(others).toEqual([]);
          expect(decodeURIComponent(asked)).toContain(id.toWellFormed());
        },
      );
    }

    if (provider.tickers)
      it('lists tickers in the shape of the route, each coin once', async () => {
        const { data } = await fetchFrom(({ tickers }) => tickers());

        const problems = compileResponse(tickerRoute.response);
        expect(data.tickers.flatMap((ticker) => problems(ticker))).toEqual([]);
        expect(new Set(data.tickers.map(({ id }) => id)).size).toBe(data.tickers.length);
        expect(data.tickers.map(({ id }) => id)).toContain(coinId);
        expect(data.unreadable).toEqual([]);
      });

    if (provider.candles)
      it.each(['1h', '24h'] as const)(
        'gives candles of %s of the window alone, ascending and possible',
        async (interval) => {
          const asked = query(interval, 12);
          const { data } = await fetchFrom(({ candles }) => candles(asked));

          const opens = data.map(({ time_open }) => Date.parse(time_open));
          expect(opens.length).toBeGreaterThan(0);
          expect(opens).toEqual([...new Set(opens)].sort((a, b) => a - b));
          expect(Math.min(...opens)).toBeGreaterThanOrEqual(asked.window.from);
          expect(Math.max(...opens)).toBeLessThan(asked.window.to);
          for (const { open, high, low, close } of data) {
            expect(low).toBeGreaterThan(0);
            expect(low).toBeLessThanOrEqual(Math.min(open, close));
            expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
          }
        },
      );

    if (provider.markets)
      it('lists markets in symbols that everybody knows, each once', async () => {
        const { data } = await fetchFrom(({ markets }) => markets());

        expect(data.find(({ id }) => id === market)).toMatchObject({ base: 'BTC', isOpen: true });
        expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
        for (const { base, quote } of data) {
          expect(base).toBe(base.toUpperCase());
          expect(['USD', 'USDC', 'USDT', 'EUR', 'BTC', 'ETH']).toContain(quote);
        }
        expect(data.map(({ isOpen }) => isOpen)).toContain(false);
      });

    if (provider.quotes)
      it('tells last prices of the markets that are asked for, and of one by itself', async () => {
        const all = await fetchFrom(({ markets }) => markets());
        const asked = all.data.filter(({ isOpen }) => isOpen).slice(0, 20);
        const ids = [market, ...asked.map(({ id }) => id).filter((id) => id !== market)];
        const { data } = await fetchFrom(({ quotes }) => quotes(ids));
        const one = await fetchFrom(({ quotes }) => quotes([market]));

        expect(provider.limits.quotes).toBe('all');
        expect(new Set(data.map(({ market: id }) => id))).toEqual(new Set(ids));
        for (const { price, volume } of data) {
          expect(price).toBeGreaterThan(0);
          expect(volume).toBeGreaterThan(0);
        }
        expect(one.data.map(({ market: id }) => id)).toEqual([market]);
        const known = data.find(({ market: id }) => id === market)?.price ?? 0;
        expect(Math.abs((one.data[0]?.price ?? 0) / known - 1)).toBeLessThan(0.05);
      });

    if (provider.marketCandles) {
      it.each([
        ['1h', 12],
        ['24h', 12],
        ['1h', provider.limits.rows.candles],
      ] as const)(
        'gives a market’s candles of %s of a window of %i alone, ascending and possible',
        async (interval, limit) => {
          const to = windowOf({ interval, limit: 1 }, Date.now()).to;
          const window = {
            ...query(interval, 1).window,
            from: to - limit * (interval === '1h' ? HOUR_MS : 24 * HOUR_MS),
          };
          const { data } = await fetchFrom(({ marketCandles }) => marketCandles({ market, window }));

          const opens = data.map(({ time_open }) => Date.parse(time_open));
          expect(opens.length).toBeGreaterThanOrEqual(limit - 1);
          expect(opens).toEqual([...new Set(opens)].sort((a, b) => a - b));
          expect(opens[0]).toBe(window.from);
          expect(Math.max(...opens)).toBeLessThan(window.to);
          for (const { time_open, time_close, open, high, low, close, volume, market_cap } of data) {
            expect(Date.parse(time_close)).toBe(Date.parse(time_open) + window.stepMs - 1000);
            expect(low).toBeGreaterThan(0);
            expect(low).toBeLessThanOrEqual(Math.min(open, close));
            expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
            expect([volume, market_cap]).toEqual([null, null]);
          }
        },
      );

      it('gives candles of a window in the past, and none beyond it', async () => {
        const end = isoSeconds(Date.now() - 10 * 24 * HOUR_MS);
        const window = windowOf({ interval: '24h', limit: 5, end }, Date.now());
        const { data } = await fetchFrom(({ marketCandles }) => marketCandles({ market, window }));

        const opens = data.map(({ time_open }) => Date.parse(time_open));
        expect(opens).toEqual([0, 1, 2, 3, 4].map((day) => window.from + day * window.stepMs));
      });

      it('says 404 of a market that it does not know, by the name that was asked for', async () => {
        const { window } = query('24h', 1);
        await expect(
          fetchFrom(({ marketCandles }) => marketCandles({ market: UNKNOWN_MARKET, window })),
        ).rejects.toMatchObject({ statusCode: 404, message: `${title} knows no market ${UNKNOWN_MARKET}` });
      });
    }

    if (provider.prices)
      it.each(['1h', '24h'] as const)('gives prices in steps of %s, ascending', async (interval) => {
        const asked = query(interval, 12);
        const { data } = await fetchFrom(({ prices }) => prices(asked, asked.window.from));

        const times = data.map(({ timestamp }) => Date.parse(timestamp));
        expect(times.length).toBeGreaterThan(0);
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
        for (const { price } of data) expect(price).toBeGreaterThan(0);
      });

    if (provider.coins)
      it('lists coins as the registry holds them', async () => {
        const { data } = await fetchFrom(({ coins }) => coins());

        expect(parseEntries(data)).toEqual(data);
        expect(data.map(({ id }) => id)).toContain(coinId);
      });

    if (provider.contracts)
      it('lists the contracts of each platform, of coins that it knows', async () => {
        const { data: platforms } = await fetchFrom((offered) => offered.platforms());
        const { data: coins } = await fetchFrom((offered) => offered.coins());
        const lists = await Promise.all(
          platforms.map(async (platform) => fetchFrom(({ contracts }) => contracts(platform))),
        );

        const contracts = lists.flatMap(({ data }) => data);
        const known = new Set(coins.map(({ id }) => id));
        expect(new Set(platforms).size).toBe(platforms.length);
        expect(contracts.length).toBeGreaterThan(0);
        for (const { coinId: id, address } of contracts) {
          expect(known).toContain(id);
          expect(address.trim()).not.toBe('');
        }
        await expect(fetchFrom((offered) => offered.contracts(UNKNOWN))).rejects.toMatchObject({
          statusCode: expect.any(Number),
        });
      });

    const tokenNames = () => (server.tokens ?? []).map(({ name }) => name).slice(0, 20);

    if (provider.tokenPrices)
      it('tells prices of tokens by the names that were asked for, and nothing of one that it does not know', async () => {
        const asked = tokenNames();
        const { data } = await fetchFrom(({ tokenPrices }) => tokenPrices([...asked, UNKNOWN_TOKEN]));

        expect(data.map(({ token }) => token).sort()).toEqual(asked.toSorted());
        for (const { price, at, confidence } of data) {
          expect(price).toBeGreaterThan(0);
          expect(Math.abs(Date.now() - at)).toBeLessThan(HOUR_MS);
          expect(confidence).toBeGreaterThan(0.9);
          expect(confidence).toBeLessThanOrEqual(1);
        }
      });

    if (provider.tokenHistory)
      it('tells prices of tokens at the end of each day of a window', async () => {
        const asked = tokenNames();
        const end = isoSeconds(Date.now() - 3 * DAY_MS);
        const window = windowOf({ interval: '24h', limit: 5, end }, Date.now());
        const { data } = await fetchFrom(({ tokenHistory }) =>
          tokenHistory([...asked, UNKNOWN_TOKEN], window),
        );

        expect(data.map(({ token }) => token).sort()).toEqual(asked.toSorted());
        for (const { prices, confidence } of data) {
          const days = prices.map(({ at }) => Math.round((at - window.from) / DAY_MS));
          expect(days).toEqual([1, 2, 3, 4, 5]);
          for (const { price } of prices) expect(price).toBeGreaterThan(0);
          expect(confidence).toBeGreaterThan(0.9);
        }
      });

    it.each([
      ['HTML', respond(200, { 'content-type': 'text/html' }, '<html>'), 502],
      ['nothing', respond(200, { 'content-type': 'application/json' }), 502],
      ['half of its JSON', respond(200, { 'content-type': 'application/json' }, '{"a":'), 502],
      ['another shape', respondJson('a text'), 502],
      ['500', respondJson({}, 500), 502],
      ['a page of a firewall', respond(403, { 'content-type': 'text/html' }, '<html>'), 502],
      ['silence', () => {}, 504],
      ['a cut connection', ((_request, response) => response.destroy()) as RequestListener, 502],
    ])('turns %s into an error that names it', async (_what, listener, statusCode) => {
      front.answer(listener);

      const error = await fetchFrom(anything).catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ statusCode, message: expect.stringContaining(title) });
      expect(error).not.toBeInstanceOf(PlanRefusal);
    });

    it('passes on when to come back', async () => {
      front.answer(respondJson({}, 429, { 'retry-after': '30' }));

      await expect(fetchFrom(anything)).rejects.toMatchObject({
        statusCode: 429,
        headers: { 'retry-after': '30' },
      });
    });
  });
}
