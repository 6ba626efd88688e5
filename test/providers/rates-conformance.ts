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

  it('returns the rates of past days, each day once, at least of those that were requested', async () => {
    const from = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 10);
    const quotes = ['GBP', 'USD'];
    const { data } = await fetchFrom(({ pastRates }) => pastRates({ from, quotes }));

    const days = data.filter(({ day }) => day >= from);
    expect(new Set(days.map(({ day }) => day)).size).toBe(days.length);
    expect(days.length).toBeGreaterThan(35);
    for (const { day, rates } of days) {
      expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(rates).not.toHaveProperty('EUR');
      for (const code of quotes) expect(rates[code]).toMatch(/^\d+(\.\d+)?$/);
    }
  });
}
