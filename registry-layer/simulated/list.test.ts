import { expect, test } from 'vitest';
import { parseEntries } from '../../shared/registry/entries.ts';
import { SIMULATED_COUNT, simulatedEntries } from './list.ts';
import { wellKnownCoins } from './well-known.ts';

const entries = simulatedEntries();
const share = (isSuch: (entry: (typeof entries)[number]) => boolean) =>
  entries.filter(isSuch).length / entries.length;
const count = (isSuch: (entry: (typeof entries)[number]) => boolean) => entries.filter(isSuch).length;

test('is a valid list of 56,000 entries, always the same', () => {
  expect(entries).toHaveLength(SIMULATED_COUNT);
  expect(parseEntries(entries)).toEqual(entries);
  expect(simulatedEntries()).toEqual(entries);
  expect(simulatedEntries(1000, 2)).not.toEqual(simulatedEntries(1000, 1));
});

test('begins with the well-known coins by market capitalization', () => {
  const known = wellKnownCoins.map(({ id, name, symbol, rank, type }) => ({ id, name, symbol, rank, type }));
  const caps = wellKnownCoins.map((coin) => coin.priceUsd * coin.circulatingSupply);
  const free = wellKnownCoins.filter(({ follows }) => follows === null).map(({ id }) => id);

  expect(entries.slice(0, known.length)).toMatchObject(known);
  expect(caps).toEqual(caps.toSorted((a, b) => b - a));
  expect(known.slice(0, 2).map(({ id }) => id)).toEqual(['btc-bitcoin', 'eth-ethereum']);
  for (const { id, follows } of wellKnownCoins)
    if (follows !== null) expect([...free, 'usd', 'gold'], id).toContain(follows);
});

test('has the proportions of the real list', () => {
  expect(share((entry) => entry.is_active)).toBeCloseTo(0.23, 3);
  expect(share((entry) => entry.type === 'token')).toBeCloseTo(0.96, 2);
  const symbols = Map.groupBy(entries, ({ symbol }) => symbol.trim().toUpperCase());
  expect(Math.max(...Array.from(symbols.values(), (shared) => shared.length))).toBe(65);
  expect(symbols.size).toBeGreaterThan(30_000);
  expect(new Set(entries.map(({ name }) => name)).size / entries.length).toBeGreaterThan(0.95);
});

test('ranks every active entry once, and no other', () => {
  const ranks = entries.flatMap(({ rank, is_active }) => (is_active ? [rank] : []));
  expect(ranks.every((rank, index) => rank > (ranks[index - 1] ?? 0))).toBe(true);
  expect(count(({ rank, is_active }) => !is_active && rank > 0)).toBe(0);
});

test('has untidy symbols, names and ids, as the real list has', () => {
  expect(count(({ symbol }) => symbol !== symbol.trim())).toBeGreaterThan(30);
  expect(count(({ symbol }) => symbol !== symbol.toUpperCase())).toBeGreaterThan(200);
  expect(count(({ name }) => /[^\x20-\x7e]/.test(name))).toBeGreaterThan(100);
  expect(count(({ id }) => id.includes('?'))).toBeGreaterThan(0);
  expect(count(({ id }) => /^-|-$|--/.test(id))).toBeGreaterThan(50);
});

test('has coins that continue as others: some are still traded, and the symbols of the others are free', () => {
  const traded = new Set(entries.flatMap(({ symbol, is_active }) => (is_active ? symbol.trim() : [])));
  const isTraded = ['MATIC', 'MKR', 'FTM', 'LEND'].map((symbol) => traded.has(symbol));
  expect(isTraded).toEqual([true, true, false, false]);
  for (const id of ['ftm-fantom', 'lend-ethlend'])
    expect(entries.find((entry) => entry.id === id)).toMatchObject({ is_active: false, rank: 0 });
});
