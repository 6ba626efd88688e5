import fc from 'fast-check';
import { expect, test } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { registryOf } from './lists.ts';
import { errorsBetween, isOneErrorAway, plainText, ReferenceRegistry } from './reference.ts';

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('ß', 'İ', 'ı', 'ſ', 'ς', 'Σ', 'ﬁ', 'Å', 'ø', ' BTC ', '⌘', '龙币', 'e\u0301', '', '   '),
);
const entry: fc.Arbitrary<RegistryEntry> = fc.record({
  id: text.filter((id) => id !== ''),
  name: text,
  symbol: fc.oneof(text, fc.constantFrom('btc', 'BTC', 'Btc ', 'σ', 'Σ', 'ß', 'SS')),
  rank: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  is_new: fc.boolean(),
  is_active: fc.boolean(),
  type: fc.constantFrom('coin', 'token'),
});
const entries = fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 40 });

test('any list of entries builds, opens, and agrees with the reference', () => {
  fc.assert(
    fc.property(entries, text, (list, unknown) => {
      const registry = registryOf(list);
      const reference = new ReferenceRegistry(list);
      for (const item of list) {
        expect(registry.getById(item.id)).toEqual(item);
        expect(registry.searchBySymbol(item.symbol)).toEqual(reference.searchBySymbol(item.symbol));
        expect(registry.resolveSymbol(item.symbol)).toBe(reference.resolveSymbol(item.symbol));
      }
      expect(registry.getById(unknown)).toEqual(list.find(({ id }) => id === unknown) ?? null);
      expect(registry.resolveSymbol(unknown)).toBe(reference.resolveSymbol(unknown));
      expect(registry.getAllActive()).toEqual(reference.getAllActive());
    }),
    { numRuns: 150 },
  );
});

test('every entry of any list is found by its whole symbol, name and id', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const registry = registryOf(list);
      for (const item of list) {
        for (const query of [item.id, item.name, item.symbol].filter((field) => plainText(field) !== '')) {
          expect(registry.fuzzySearch(query, 100).map(({ id }) => id)).toContain(item.id);
        }
      }
    }),
    { numRuns: 60 },
  );
});

const registry = registryOf(simulatedEntries(3000));

test('any query but the empty one is answered without throwing, within the limit', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ minLength: 1, maxLength: 150 }), fc.string({ unit: 'binary', minLength: 1 })),
      fc.integer({ min: 1, max: 100 }),
      (query, limit) => {
        expect(registry.fuzzySearch(query, limit).length).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 500 },
  );
  expect(() => registry.fuzzySearch('')).toThrow('The query is empty');
});

test('a single letter beside a word narrows its entries, wherever in their names the letter is', () => {
  const entryOf = (id: string, name: string): RegistryEntry => ({
    id,
    name,
    symbol: 'X',
    rank: 1,
    is_new: false,
    is_active: true,
    type: 'coin',
  });
  const list = registryOf([entryOf('x-1', 'Orchid Zebra'), entryOf('x-2', 'Orchid Tulip')]);
  for (const query of ['orchid b', 'b orchid', 'orchyd b'])
    expect(list.fuzzySearch(query).map(({ name }) => name)).toEqual(['Orchid Zebra']);
});

const words = fc.stringMatching(/^[a-z]{4,12}$/);

test('a word of four letters or more is found in spite of any one typing error', () => {
  const others = simulatedEntries(200).map((item) => ({ ...item, rank: 0 }));
  fc.assert(
    fc.property(
      words,
      fc.nat(),
      fc.constantFrom('a', 'q', '7'),
      fc.nat(3),
      (word, position, letter, kind) => {
        const at = position % word.length;
        const [before, after] = [word.slice(0, at), word.slice(at)];
        const mistyped = [
          before + letter + after,
          before + after.slice(1),
          before + letter + after.slice(1),
          before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2),
        ][kind] as string; // kind is 0 to 3
        fc.pre(mistyped === word || isOneErrorAway(mistyped, word));
        const target: RegistryEntry = {
          id: `zzz-${word}`,
          name: `Zzz ${word}`,
          symbol: 'ZZZ',
          rank: 1,
          is_new: false,
          is_active: true,
          type: 'coin',
        };
        const found = registryOf([...others.filter((item) => item.id !== target.id), target]).fuzzySearch(
          mistyped,
        );
        expect(found.map(({ id }) => id)).toContain(target.id);
      },
    ),
    { numRuns: 100 },
  );
});

test('a word of eight letters or more is found in spite of any two typing errors', () => {
  const lone = (name: string) =>
    registryOf([{ id: 'x-y', name, symbol: 'X', rank: 1, is_new: false, is_active: true, type: 'coin' }]);
  const change = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('a', 'q', '7'));
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{8,14}$/), change, change, (word, first, second) => {
      const mistyped = [first, second].reduce(
        (letters, [position, kind, letter]) => {
          const at = position % letters.length;
          if (kind === 0) return letters.toSpliced(at, 0, letter);
          if (kind === 1) return letters.toSpliced(at, 1);
          if (kind === 2) return letters.with(at, letter);
          return letters.toSpliced(at, 2, ...letters.slice(at, at + 2).reverse());
        },
        [...word],
      );
      fc.pre(errorsBetween(mistyped.join(''), word) <= 2); // an error inside of a transposition makes three
      expect(lone(word).fuzzySearch(mistyped.join('')).length).toBe(1);
    }),
    { numRuns: 300 },
  );
});
