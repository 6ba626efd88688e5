import fc from 'fast-check';
import { expect, test } from 'vitest';
import { simulatedEntries } from '../../registry-layer/simulated/list.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { entry as entryOf } from '../../shared/registry/entry.testing.ts';
import { registryOf } from './lists.ts';
import { errorsBetween, plainText, ReferenceRegistry } from './reference.ts';

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
        const ofSymbol = { activeOnly: true, type: 'coin' } as const;
        expect(registry.getById(item.id)).toEqual(item);
        expect(registry.searchBySymbol(item.symbol)).toEqual(reference.searchBySymbol(item.symbol));
        expect(registry.searchBySymbol(item.symbol, ofSymbol)).toEqual(
          reference.searchBySymbol(item.symbol, ofSymbol),
        );
        expect(registry.resolveSymbol(item.symbol)).toBe(reference.resolveSymbol(item.symbol));
      }
      expect(registry.getById(unknown)).toEqual(list.find(({ id }) => id === unknown) ?? null);
      expect(registry.resolveSymbol(unknown)).toBe(reference.resolveSymbol(unknown));
      const active = { activeOnly: true };
      expect(registry.page(active, 0, 100).entries).toEqual(reference.list(active));
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
          expect(registry.search(query, 100).map(({ id }) => id)).toContain(item.id);
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
        expect(registry.search(query, limit).length).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 500 },
  );
  expect(() => registry.search('')).toThrow('The query is empty');
});

const famous = (id: string, name: string) => entryOf({ id, name, symbol: 'ZZZ' });

test('a single letter beside a word narrows its entries, wherever in their names the letter is', () => {
  const list = registryOf([famous('x-1', 'Orchid Zebra'), famous('x-2', 'Orchid Tulip')]);
  for (const query of ['orchid b', 'b orchid', 'orchyd b'])
    expect(list.search(query).map(({ name }) => name)).toEqual(['Orchid Zebra']);
});

/** A typing error: an insertion, a deletion, a substitution or a transposition. */
const error = fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('a', 'q', '7'));
function mistyped(word: string, errors: readonly (readonly [at: number, kind: number, letter: string])[]) {
  const letters = errors.reduce(
    (left, [position, kind, letter]) => {
      const at = position % left.length;
      if (kind === 0) return left.toSpliced(at, 0, letter);
      if (kind === 1) return left.toSpliced(at, 1);
      if (kind === 2) return left.with(at, letter);
      return left.toSpliced(at, 2, ...left.slice(at, at + 2).reverse());
    },
    [...word],
  );
  return letters.join('');
}

test('a word of four letters or more is found in spite of any one typing error', () => {
  const others = simulatedEntries(200).map((item) => ({ ...item, rank: 0 }));
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{4,12}$/), error, (word, one) => {
      const query = mistyped(word, [one]);
      const target = famous(`zzz-${word}`, `Zzz ${word}`);
      fc.pre(query === word || errorsBetween(query, word) === 1);
      const found = registryOf([...others.filter(({ id }) => id !== target.id), target]).search(query);
      expect(found.map(({ id }) => id)).toContain(target.id);
    }),
    { numRuns: 100 },
  );
});

test('a word of eight letters or more is found in spite of any two typing errors', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{8,14}$/), error, error, (word, first, second) => {
      const query = mistyped(word, [first, second]);
      fc.pre(errorsBetween(query, word) <= 2); // an error inside of a transposition makes three
      expect(registryOf([famous('x-y', word)]).search(query).length).toBe(1);
    }),
    { numRuns: 300 },
  );
});
