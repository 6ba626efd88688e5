/** The suite of all sources of token prices. */
import { expect, it } from 'vitest';
import type { MarketDataProvider } from '../../shared/marketdata/provider.ts';
import { windowOf } from '../../shared/marketdata/window.ts';
import { isoSeconds } from '../../shared/platform/time.ts';
import { HOUR_MS, type UnderTest } from './under-test.ts';

export const UNKNOWN_TOKEN = 'chain:no-such-token';
const DAY_MS = 24 * HOUR_MS;

export function testTokens(provider: MarketDataProvider, underTest: UnderTest): void {
  const { fetchFrom } = underTest;
  const tokenNames = () => (underTest.server.tokens ?? []).map(({ name }) => name).slice(0, 20);

  if (provider.tokenPrices)
    it('returns prices of tokens by the requested names, and nothing for an unknown one', async () => {
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
    it('returns prices of tokens at the end of each day of a window', async () => {
      const asked = tokenNames();
      const end = isoSeconds(Date.now() - 3 * DAY_MS);
      const window = windowOf({ interval: '24h', limit: 5, end }, Date.now());
      const { data } = await fetchFrom(({ tokenHistory }) => tokenHistory([...asked, UNKNOWN_TOKEN], window));

      expect(data.map(({ token }) => token).sort()).toEqual(asked.toSorted());
      for (const { prices, confidence } of data) {
        const days = prices.map(({ at }) => Math.round((at - window.from) / DAY_MS));
        expect(days).toEqual([1, 2, 3, 4, 5]);
        for (const { price } of prices) expect(price).toBeGreaterThan(0);
        expect(confidence).toBeGreaterThan(0.9);
      }
    });
}
