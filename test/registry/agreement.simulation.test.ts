import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import type { EntryFilter } from '../../shared/registry/entries.ts';
import type { Registry } from '../../shared/registry/registry.ts';
import { registryOf } from './lists.ts';
import { ReferenceRegistry, sameSymbol } from './reference.ts';

const filters: readonly EntryFilter[] = [
  {},
  { activeOnly: true },
  { ranked: true },
  { type: 'coin' },
  { activeOnly: true, ranked: true, type: 'token' },
];

describe('the registry of the simulated list agrees with the reference', () => {
  const entries = simulatedEntries();
  const reference = new ReferenceRegistry(entries);
  /** One key for all spellings that compare equal, to have the reference's answers for 35,000 symbols in time. */
  const bySymbol = Map.groupBy(reference.list({}), ({ symbol }) => symbol.trim().toUpperCase());
  let registry: Registry;

  beforeAll(() => {
    registry = registryOf(entries);
  });

  test('for every id, and knows no other', () => {
    const ids = new Set(entries.map((entry) => entry.id));
    const others = entries.flatMap(({ id }) => [`${id}x`, id.slice(1), ` ${id}`, id.toUpperCase()]);

    // One expectation for all: one for each takes far longer than what it looks at.
    expect(entries.filter((entry) => !isDeepStrictEqual(registry.getById(entry.id), entry))).toEqual([]);
    expect(others.filter((other) => (registry.isActive(other) !== undefined) !== ids.has(other))).toEqual([]);
  });

  test('for every symbol, in whatever case and padding', () => {
    const wrong = [...bySymbol].filter(([key, expected]) => {
      const [first] = expected.filter((entry) => entry.is_active && entry.rank > 0);
      const spellings = expected.flatMap(({ symbol }) => [
        symbol,
        `  ${symbol.toLowerCase()}`,
        `${symbol.toUpperCase()}\t`,
      ]);
      const isFound = isDeepStrictEqual(registry.searchBySymbol(key), expected);
      return (
        !isFound || spellings.some((spelling) => registry.resolveSymbol(spelling) !== (first?.id ?? null))
      );
    });

    expect(wrong).toEqual([]);
  });

  test('for the counts', () => {
    const active = reference.list({ activeOnly: true });
    expect(registry.size).toBe(entries.length);
    expect(registry.activeCount).toBe(active.length);
    expect(registry.rankedCount).toBe(active.filter((entry) => entry.rank > 0).length);
  });

  test.each(filters)('page by page, without a repeated or a missing entry: %o', (filter) => {
    const expected = reference.list(filter);
    const pages = [];
    let position: number | null = 0;
    while (position !== null) {
      const page = registry.page(filter, position, 997);
      expect(page.total).toBe(expected.length);
      pages.push(...page.entries);
      position = page.next;
    }
    expect(pages).toEqual(expected);
  });

  test('page by page within a symbol', () => {
    const [symbol = '', most = []] = [...bySymbol].sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
    const first = registry.page({ symbol }, 0, 10);
    const second = registry.page({ symbol }, first.next ?? 0, 1000);
    expect([...first.entries, ...second.entries]).toEqual(
      most.filter((entry) => sameSymbol(entry.symbol, symbol)),
    );
    expect(second).toMatchObject({ total: most.length, next: null });
  });
});
