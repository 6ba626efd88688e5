import { expect, test } from 'vitest';
import { ask, worldForTest } from './asking.testing.ts';

const { coingecko, market } = worldForTest();

test('pages of prices are cut by market cap; a look-alike has the price of its coin and a part of its cap', () => {
  const page = (query: string) =>
    ask<{ id: string; current_price: number; market_cap: number }[]>(
      coingecko,
      `/coins/markets?vs_currency=usd&${query}`,
    ).json;
  expect(page('per_page=2').map(({ id }) => id)).toEqual(['bitcoin', 'ethereum']);
  expect(page('per_page=1&page=2').map(({ id }) => id)).toEqual(['ethereum']);
  const rows = new Map(page('per_page=250').map((row) => [row.id, row]));
  const [coin, bridged] = [rows.get('usd-coin'), rows.get('bridged-usd-coin-linea')];
  expect((bridged?.current_price ?? 0) / (coin?.current_price ?? 1)).toBeCloseTo(1, 2);
  expect(bridged?.market_cap).toBeLessThan((coin?.market_cap ?? 0) / 100);
});

test('errors and limits are in its shapes', () => {
  expect(ask(coingecko, '/coins/markets')).toMatchObject({
    status: 400,
    json: { error: 'invalid vs_currency' },
  });
  coingecko.setFault('limit');
  expect(ask(coingecko, '/ping')).toMatchObject({
    status: 429,
    headers: { 'Retry-After': '60' },
    json: { status: { error_code: 429 } },
  });
  coingecko.setFault(null);
  expect(market.coins.length).toBeGreaterThan(200);
});
