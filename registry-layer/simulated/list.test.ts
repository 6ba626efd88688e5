import { expect, test } from 'vitest';
import { parseEntries } from '../../shared/registry/entries.ts';
import { SIMULATED_COUNT, simulatedEntries } from './list.ts';
import { wellKnownCoins } from './well-known.ts';

const entries = simulatedEntries();
const share = (isSuch: (entry: (typeof entries)[number]) => boolean) =>
  entries.filter(isSuch).length / entries.length;
const count = (isSuch: (entry: (typeof entries)[number]) => boolean) => entries.filter(isSuch).length;

test('is a valid list of 56,000 entries, the same at every time', () => {
  expect(entries).toHaveLength(SIMULATED_COUNT);
  expect(parseEntries(entries)).toEqual(entries);
  expect(simulatedEntries()).toEqual(entries);
  expect(simulatedEntries(1000, 2)).not.toEqual(simulatedEntries(1000, 1));
});

test('begins with the well-known coins, by their market capitalization, Bitcoin and Ethereum in front', () => {
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

test('ranks all active entries, each once, and no other', () => {
  const ranks = entries.flatMap(({ rank, is_active }) => (is_active ? [rank] : []));
  expect(ranks.every((rank, index) => rank > (ranks[index - 1] ?? 0))).toBe(true);
  expect(count(({ rank, is_active }) => !is_active && rank > 0)).toBe(0);
});

test.each([
  ['padded symbols', ({ symbol }) => symbol !== symbol.trim(), 30, 100],
  ['symbols in mixed case', ({ symbol }) => symbol !== symbol.toUpperCase(), 200, 500],
  ['non-ASCII names', ({ name }) => /[^\x20-\x7e]/.test(name), 100, 300],
  ['non-ASCII symbols', ({ symbol }) => /[^\x20-\x7e]/.test(symbol), 30, 100],
  ['ids with a question mark', ({ id }) => id.includes('?'), 1, 20],
  ['ids without a hyphen', ({ id }) => !id.includes('-'), 1, 20],
  ['ids with stray hyphens', ({ id }) => /^-|-$|--/.test(id), 50, 300],
] as const satisfies [string, (entry: (typeof entries)[number]) => boolean, number, number][])(
  'has %s as the real list has',
  (_what, isSuch, least, most) => {
    expect(count(isSuch)).toBeGreaterThanOrEqual(least);
    expect(count(isSuch)).toBeLessThanOrEqual(most);
  },
);
