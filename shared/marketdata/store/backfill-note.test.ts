import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backfillNote, type FetchNote, mergedCoins, readBackfillNote } from './backfill-note.ts';

const HOUR_MS = 3_600_000;
const asked = fc.record({
  through: fc.oneof(
    fc.constantFrom('never' as const, 'nothing' as const),
    fc.integer({ min: 1, max: 40_000 }).map((day) => day * 24 * HOUR_MS),
  ),
  at: fc.integer({ min: 1, max: 900_000 }).map((hour) => hour * HOUR_MS),
  failed: fc.boolean(),
});
const id = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('btc-bitcoin', '__proto__', '战旗-战旗', ''),
);
const coins = fc
  .array(fc.tuple(id, asked), { maxLength: 20 })
  .map((entries): Map<string, FetchNote> => new Map(entries));

const stored = (content: unknown) => readBackfillNote(JSON.parse(JSON.stringify(content)));

describe('the note of the backfill', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(coins, (all) => {
        expect(stored(backfillNote(all))).toEqual(all);
      }),
    );
  });

  it.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{}],
    [{ version: 1, coins: [] }],
    [{ version: 2, coins: { a: [1, 1] } }],
  ])('is refused if it is not one: %j', (content) => {
    expect(() => readBackfillNote(content)).toThrow('of the backfill');
  });

  it('leaves out rows that cannot be read', () => {
    const content = { version: 1, coins: { a: [1, 2], b: 'x', c: [1], d: [null, 2], e: [1.5, 2] } };
    expect([...readBackfillNote(content).keys()]).toEqual(['a']);
  });

  it('of two runs is the same whoever writes last, and knows all coins of both', () => {
    fc.assert(
      fc.property(coins, coins, (a, b) => {
        const merged = mergedCoins(a, b);
        expect(Object.fromEntries(merged)).toEqual(Object.fromEntries(mergedCoins(b, a)));
        expect(new Set(merged.keys())).toEqual(new Set([...a.keys(), ...b.keys()]));
        for (const [coin, { at }] of merged)
          expect(at).toBe(Math.max(a.get(coin)?.at ?? 0, b.get(coin)?.at ?? 0));
      }),
    );
  });

  it('of 13,000 coins is half a megabyte', () => {
    const entry: FetchNote = { through: 20_778 * 24 * HOUR_MS, at: 498_672 * HOUR_MS, failed: false };
    const all = new Map(
      Array.from({ length: 13_000 }, (_, n) => [`c${n}-some-coin-of-${n}`, entry] as const),
    );
    expect(JSON.stringify(backfillNote(all)).length).toBeLessThan(560_000);
  });
});
