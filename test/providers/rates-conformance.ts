/** The part of the providers' suite that is about what a euro is worth. */
import { expect, it } from 'vitest';
import type { MarketDataProvider } from '../../shared/marketdata/provider.ts';
import { DAY_MS } from '../../shared/platform/time.ts';
import type { UnderTest } from './under-test.ts';

export function testRates(provider: MarketDataProvider, { fetchFrom }: UnderTest): void {
  if (!provider.rates) return;

  it('returns the euro’s rates in the afternoon of a day that is over or has begun', async () => {
    const { data, source, madeAt } = await fetchFrom(({ rates }) => rates());

    const figures = Object.values(data.rates);
    expect(data.day).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(Date.parse(data.day)).toBeLessThanOrEqual(Date.now());
    expect(Date.now() - madeAt).toBeLessThan(8 * DAY_MS);
    expect(Object.keys(data.rates)).toEqual(expect.arrayContaining(['USD', 'GBP', 'JPY']));
    expect(data.rates).not.toHaveProperty('EUR');
    expect(figures.filter((text) => !/^\d+(\.\d+)?$/.test(text) || Number(text) <= 0)).toEqual([]);
    expect([provider.name, 'simulated']).toContain(source);
  });
}
