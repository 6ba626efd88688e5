import { expect, it } from 'vitest';
import { route as tickerRoute } from '../../functions/marketdata/ticker/route.ts';
import { compileResponse } from '../../shared/http/compile-schemas.ts';
import type { MarketDataProvider } from '../../shared/marketdata/provider.ts';
import type { BaseInterval } from '../../shared/marketdata/window.ts';
import { exchanges } from '../../shared/providers/sources.ts';
import { parseEntries } from '../../shared/registry/entries.ts';
import { HOUR_MS, latest, type UnderTest } from './under-test.ts';

/** Data of coins by their ids, from any provider. */

const UNKNOWN = 'no-such-coin';

/** `coinId` is one that the server knows. */
export function testCoins(provider: MarketDataProvider, underTest: UnderTest, coinId: string): void {
  const { fetchFrom } = underTest;
  const query = (interval: BaseInterval, limit: number) =>
    ({ id: coinId, quote: 'usd', window: latest(interval, limit) }) as const;

  if (provider.ticker) {
    it('gives the ticker of the requested coin, in the shape of the route', async () => {
      const { data, source, madeAt } = await fetchFrom(({ ticker }) => ticker(coinId));

      expect(compileResponse(tickerRoute.response)(data)).toEqual([]);
      expect(data.id).toBe(coinId);
      expect(data.quotes.USD.price).toBeGreaterThan(0);
      expect([provider.name, 'simulated']).toContain(source);
      expect(Math.abs(Date.now() - madeAt)).toBeLessThan(HOUR_MS);
    });

    it('has a 404 that names the requested id for an unknown coin', async () => {
      await expect(fetchFrom(({ ticker }) => ticker(UNKNOWN))).rejects.toMatchObject({
        statusCode: 404,
        message: `Unknown coin id: ${UNKNOWN}`,
      });
    });
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
    it('lists the contracts of each platform, of known coins', async () => {
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

  if (provider.exchangeMarkets)
    it.each([...exchanges.keys()])(
      'lists the markets of %s with known coins, by symbols',
      async (exchange) => {
        const { data } = await fetchFrom(({ exchangeMarkets }) => exchangeMarkets(exchange));
        const { data: coins } = await fetchFrom((offered) => offered.coins());

        const known = new Set(coins.map(({ id }) => id));
        expect(data.length).toBeGreaterThan(0);
        for (const { base, quote, coinId: id } of data) {
          expect(known).toContain(id);
          for (const symbol of [base, quote]) expect(symbol).toMatch(/^[^\s/]+$/);
        }
        await expect(fetchFrom((offered) => offered.exchangeMarkets(UNKNOWN))).rejects.toMatchObject({
          statusCode: expect.any(Number),
        });
      },
    );
}
