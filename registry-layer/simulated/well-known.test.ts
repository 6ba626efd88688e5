import { expect, test } from 'vitest';
import { wellKnownCoins } from './well-known.ts';

const ids = new Set(wellKnownCoins.map((coin) => coin.id));

test('every id occurs once and ranks run from 1 without gaps', () => {
  expect(ids.size).toBe(wellKnownCoins.length);
  expect(wellKnownCoins.map((coin) => coin.rank)).toEqual(wellKnownCoins.map((_coin, index) => index + 1));
  expect(wellKnownCoins.length).toBeGreaterThan(200);
});

test('ranks follow the market capitalization, with Bitcoin and Ethereum in front', () => {
  const caps = wellKnownCoins.map((coin) => coin.priceUsd * coin.circulatingSupply);
  expect(caps).toEqual(caps.toSorted((a, b) => b - a));
  expect(wellKnownCoins.slice(0, 2).map((coin) => coin.id)).toEqual(['btc-bitcoin', 'eth-ethereum']);
});

test('figures are positive, supplies stay within their maximum, and years are those of existing markets', () => {
  for (const coin of wellKnownCoins) {
    expect(coin.priceUsd, coin.id).toBeGreaterThan(0);
    expect(coin.circulatingSupply, coin.id).toBeGreaterThan(0);
    expect(coin.circulatingSupply, coin.id).toBeLessThanOrEqual(coin.maxSupply ?? Number.POSITIVE_INFINITY);
    expect(coin.firstYear, coin.id).toBeGreaterThanOrEqual(2010);
    expect(coin.firstYear, coin.id).toBeLessThanOrEqual(2025);
  }
});

test('a pegged coin follows the dollar, gold, or an unpegged coin of the list', () => {
  const free = new Set(wellKnownCoins.filter((coin) => coin.follows === null).map((coin) => coin.id));
  for (const { id, follows } of wellKnownCoins) {
    expect(follows === null || follows === 'usd' || follows === 'gold' || free.has(follows), id).toBe(true);
  }
});
