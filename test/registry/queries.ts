import { Random } from '../../registry-layer/simulated/names.ts';
import type { RegistryEntry } from '../../shared/registry/entries.ts';
import { containsAll, isExact, isOneErrorAway, type PlainEntry, plainEntry, plainText } from './reference.ts';

/** The change that a query makes to the name of the entry that it is made of. */
export const queryKinds = [
  'exact',
  'prefix',
  'substring',
  'insertion',
  'deletion',
  'substitution',
  'transposition',
  'two words',
  'accents',
] as const;
export type QueryKind = (typeof queryKinds)[number];
export const typoKinds: readonly QueryKind[] = ['insertion', 'deletion', 'substitution', 'transposition'];

export interface TestQuery {
  readonly kind: QueryKind;
  readonly text: string;
  /** The one right answer. */
  readonly id: string;
}

/** Tries for each query wanted, before the generator gives up on a list where nearly nothing is unique. */
const MAX_TRIES = 40;

/**
 * Queries made of entries drawn evenly from all of the list, the same number of each kind. Only those with one
 * right answer are given out: no other entry of the list is as close to the text as the one that it was made of.
 */
export function makeQueries(entries: readonly RegistryEntry[], perKind: number, seed: number): TestQuery[] {
  const random = new Random(seed);
  const plain = entries.map(plainEntry);
  return queryKinds.flatMap((kind) => {
    const queries: TestQuery[] = [];
    for (let tries = 0; queries.length < perKind && tries < perKind * MAX_TRIES; tries++) {
      const target = plain[random.below(plain.length)];
      const text = target && makers[kind](target, random);
      if (text && hasOneAnswer(kind, plainText(text), target, plain))
        queries.push({ kind, text, id: target.entry.id });
    }
    return queries;
  });
}

/** The distance of an entry from a text: 0 a whole field, 1 all words within it, 2 a field with one error, 3 farther. */
function farness(entry: PlainEntry, text: string, words: readonly string[]): number {
  if (isExact(entry, text)) return 0;
  if (containsAll(entry, words)) return 1;
  return entry.fields.some((field) => isOneErrorAway(field, text)) ? 2 : 3;
}

function hasOneAnswer(
  kind: QueryKind,
  text: string,
  target: PlainEntry,
  all: readonly PlainEntry[],
): boolean {
  const words = text.split(' ');
  const own = farness(target, text, words);
  if (typoKinds.includes(kind) && own !== 2) return false;
  return own < 3 && all.every((entry) => entry === target || farness(entry, text, words) > own);
}

const makers: Readonly<Record<QueryKind, (target: PlainEntry, random: Random) => string | undefined>> = {
  exact: ({ entry }, random) => random.pick([entry.name, entry.symbol, entry.id]),
  prefix: ({ name }, random) => {
    const letters = [...name];
    return letters.length < 5
      ? undefined
      : letters
          .slice(0, 4 + random.below(letters.length - 4))
          .join('')
          .trim();
  },
  substring: ({ name }, random) => {
    const letters = [...name];
    if (letters.length < 6) return undefined;
    const start = 1 + random.below(letters.length - 5);
    return letters
      .slice(start, start + 4 + random.below(letters.length - start - 3))
      .join('')
      .trim();
  },
  insertion: (target, random) =>
    mistyped(target, random, (letters, at) => [
      ...letters.slice(0, at),
      letter(random),
      ...letters.slice(at),
    ]),
  deletion: (target, random) => mistyped(target, random, (letters, at) => letters.toSpliced(at, 1)),
  substitution: (target, random) =>
    mistyped(target, random, (letters, at) => letters.with(at, letter(random))),
  transposition: (target, random) =>
    mistyped(target, random, (letters, at) => {
      const [a = '', b] = letters.slice(at, at + 2);
      return b === undefined ? letters : letters.toSpliced(at, 2, b, a);
    }),
  'two words': ({ name }, random) => {
    const words = name.split(' ').filter((word) => word.length > 1);
    if (words.length < 2) return undefined;
    const first = random.below(words.length - 1);
    return `${words[first + 1]} ${words[first]}`;
  },
  accents: ({ entry: { name } }, random) => disguised(name, random),
};

function letter(random: Random): string {
  return String.fromCharCode(97 + random.below(26));
}

/** The name with an error in one of its words of four letters or more. */
function mistyped(
  { name }: PlainEntry,
  random: Random,
  change: (letters: readonly string[], at: number) => readonly string[],
): string | undefined {
  const words = name.split(' ');
  const long = words.flatMap((word, index) => ([...word].length >= 4 ? [index] : []));
  const [first, ...rest] = long;
  if (first === undefined) return undefined;
  const chosen = random.pick([first, ...rest]);
  const letters = [...(words[chosen] ?? '')];
  return words.with(chosen, change(letters, random.below(letters.length)).join('')).join(' ');
}

const marks = ['\u0301', '\u0308', '\u0302', '\u0327'] as const;

/** The name with accents on some of its letters, some letters full width and in the other case. */
function disguised(name: string, random: Random): string | undefined {
  let changed = false;
  const letters = [...name].map((character) => {
    if (!/[a-z]/i.test(character) || !random.chance(0.3)) return character;
    changed = true;
    const way = random.below(3);
    if (way === 0) return `${character}${random.pick(marks)}`;
    if (way === 1) return String.fromCharCode(character.charCodeAt(0) + 0xfee0);
    return character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase();
  });
  return changed ? letters.join('') : undefined;
}
