import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FetchNote, isPastKnown, type PastNotes, pastNote, readPastNote } from './past-note.ts';

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

const notes = fc.record({ exchanges: coins, tokens: coins, provider: coins });

const stored = (content: unknown) => readPastNote(JSON.parse(JSON.stringify(content)));

describe('the note of the past', () => {
  it('reads as it was written', () => {
    fc.assert(
      fc.property(notes, (all) => {
        expect(stored(pastNote(all))).toEqual(all);
      }),
    );
  });

  it.each([
    ['text'],
    [{}],
    [{ version: 1, exchanges: {}, tokens: {}, provider: [] }],
    [{ version: 2, exchanges: {}, tokens: {}, provider: {} }],
  ])('is refused if it is not one: %j', (content) => {
    expect(() => readPastNote(content)).toThrow('ote of the past');
  });

  it('leaves out rows that cannot be read', () => {
    const provider = { a: [1, 2], b: 'x', c: [1], d: [null, 2], e: [1.5, 2] };
    const content = { version: 1, exchanges: {}, tokens: {}, provider };
    expect([...readPastNote(content).provider.keys()]).toEqual(['a']);
  });

  it('knows the past of a coin that some source gave, or that the provider lacks', () => {
    const note: FetchNote = { through: 'never', at: HOUR_MS, failed: true };
    const stored: FetchNote = { ...note, through: 24 * HOUR_MS };
    const nothing: FetchNote = { ...note, through: 'nothing' };
    const all: PastNotes = {
      exchanges: new Map(Object.entries({ traded: stored })),
      tokens: new Map(Object.entries({ token: stored, 'unknown-token': nothing })),
      provider: new Map(Object.entries({ listed: stored, new: nothing, failed: note })),
    };
    const ids = ['traded', 'token', 'unknown-token', 'listed', 'new', 'failed', 'other'];
    expect(ids.filter((id) => isPastKnown(all, id))).toEqual(['traded', 'token', 'listed', 'new']);
  });
});
