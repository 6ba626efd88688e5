/** Data of markets, from any exchange. */
import { expect, it } from 'vitest';
import type { MarketDataProvider } from '../../shared/marketdata/provider.ts';
import { windowOf } from '../../shared/marketdata/window.ts';
import { isoSeconds } from '../../shared/platform/time.ts';
import { HOUR_MS, latest, type UnderTest } from './under-test.ts';

const UNKNOWN_MARKET = 'NO-SUCH';

/** `market` is one that the server knows, with trades at all times. */
export function testMarkets(provider: MarketDataProvider, { fetchFrom }: UnderTest, market: string): void {
  if (provider.markets)
    it('lists markets once each, in common symbols', async () => {
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
    it('gives last prices of the requested markets, and of a single one', async () => {
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
        const running = latest(interval, 1);
        const window = { ...running, from: running.to - limit * running.stepMs };
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

    it('has a 404 that names the requested market if it is unknown', async () => {
      const window = latest('24h', 1);
      await expect(
        fetchFrom(({ marketCandles }) => marketCandles({ market: UNKNOWN_MARKET, window })),
      ).rejects.toMatchObject({
        statusCode: 404,
        message: `${provider.title} knows no market ${UNKNOWN_MARKET}`,
      });
    });
  }
}
