import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import { wellKnownCoins } from '../../registry-layer/simulated/well-known.ts';
import type { Registry } from '../../shared/registry/registry.ts';
import { registryOf } from './lists.ts';
import { isExact, plainEntry } from './reference.ts';

describe('the search', () => {
  const entries = simulatedEntries();
  let registry: Registry;
  const ids = (query: string, limit?: number): string[] =>
    registry.search(query, limit).map((entry) => entry.id);

  beforeAll(() => {
    registry = registryOf(entries);
  });

  test.each([
    ['bitcoin', 'btc-bitcoin'],
    ['BTC', 'btc-bitcoin'],
    ['BTC-Bitcoin', 'btc-bitcoin'],
    ['eth-ethereum', 'eth-ethereum'],
    ['Ｅｔｈｅｒｅｕｍ', 'eth-ethereum'],
    ['éthérëum', 'eth-ethereum'],
    ['etherium', 'eth-ethereum'],
    ['chianlink', 'link-chainlink'],
    ['dogecion', 'doge-dogecoin'],
    ['bitcoin wrapped', 'wbtc-wrapped-bitcoin'],
    ['wraped bitcoin', 'wbtc-wrapped-bitcoin'],
    ['wrappedbitcoin', 'wbtc-wrapped-bitcoin'],
    ['btc bitcoin', 'btc-bitcoin'],
    ['zbcn', 'zbcn-zebec-network'],
  ])('finds first for %s %s', (query, id) => {
    expect(ids(query)[0]).toBe(id);
  });

  test.each([
    ['bitcon', 'btc-bitcoin'],
    ['ethereu', 'eth-ethereum'],
    ['hereu', 'eth-ethereum'],
    ['tehter', 'usdt-tether'],
  ])('finds among the first five for %s %s', (query, id) => {
    expect(ids(query, 5)).toContain(id);
  });

  test('puts exact matches of symbol, name and id first, by rank', () => {
    const exact = entries.filter((entry) => isExact(plainEntry(entry), 'pepe'));
    const found = registry.search('pepe', exact.length);
    expect(new Set(found)).toEqual(new Set(exact));
    const ranks = found.map((entry) =>
      entry.is_active && entry.rank > 0 ? entry.rank : Number.POSITIVE_INFINITY,
    );
    expect(ranks).toEqual(ranks.toSorted((a, b) => (a === b ? 0 : a - b)));
  });

  test('returns as many entries as requested, the same first ones for every limit, none twice', () => {
    const twenty = ids('coin');
    expect(twenty).toHaveLength(20);
    expect(ids('coin', 100).slice(0, 20)).toEqual(twenty);
    expect(new Set(ids('coin', 100)).size).toBe(100);
  });

  test('returns only what the filter lets through', () => {
    const coins = registry.search('bitcoin', 50, { activeOnly: true, type: 'coin' });
    expect(coins.length).toBeGreaterThan(1);
    expect(coins.every((entry) => entry.is_active && entry.type === 'coin')).toBe(true);
  });

  test.each([
    ['bitcoin', 'btc-bitcoin'],
    ['eth', 'eth-ethereum'],
    ['btc-bitcon', 'btc-bitcoin'],
    ['ethereum-eth', 'eth-ethereum'],
    ['qqxjzvkw-wqzjxkvq', null],
    ['', null],
  ])('suggests for the unknown id %j %j', (unknown, id) => {
    expect(registry.suggestId(unknown)).toBe(id);
  });

  test('finds well-known coins among the first five by their names in other cases, orders and spellings', () => {
    const variants = wellKnownCoins.slice(0, 100).flatMap(({ id, name }) => {
      const middle = Math.floor(name.length / 2);
      const texts = [
        name.toUpperCase(),
        name.split(' ').reverse().join(' '),
        name.replace(/[aeo]/g, '$&\u0301'),
        name.length >= 8 ? name.slice(0, middle) + name.slice(middle + 1) : name,
        name.length >= 8 ? name.slice(0, -2) : name,
      ];
      return texts.map((text) => ({ id, text }));
    });
    const missed = variants.filter(({ id, text }) => !ids(text, 5).includes(id));
    expect(missed.length / variants.length, JSON.stringify(missed)).toBeLessThanOrEqual(0.02);
  });
});
