/** The providers' tests of a list of coins under other ids. */
import { expect, it } from 'vitest';
import type { MarketDataProvider } from '../../shared/marketdata/provider.ts';
import type { UnderTest } from './under-test.ts';

export function testListing(provider: MarketDataProvider, { fetchFrom }: UnderTest): void {
  if (!provider.listedCoins) return;

  it('lists coins, each once, with their contracts', async () => {
    const { data } = await fetchFrom(({ listedCoins }) => listedCoins());

    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    expect(data.find(({ id }) => id === 'bitcoin')).toMatchObject({ name: 'Bitcoin', contracts: [] });
    const contracts = data.flatMap((coin) => coin.contracts);
    expect(contracts.length).toBeGreaterThan(50);
    for (const contract of contracts) expect(contract).toMatch(/^[a-z]+:(0x[\da-f]{40}|[1-9A-Za-z]{32,44})$/);
  });

  it('gives their market caps, the largest first, page by page to an empty one', async () => {
    const page = (number: number) => fetchFrom(({ listedPrices }) => listedPrices(number));
    const { data: first } = await page(1);

    expect(first[0]).toMatchObject({ id: 'bitcoin', price: expect.any(Number) });
    const caps = first.map(({ marketCap }) => marketCap ?? 0);
    expect(caps).toEqual(caps.toSorted((a, b) => b - a));
    expect((await page(2)).data).toEqual([]);
  });
}
