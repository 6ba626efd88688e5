import type { SearchIndex } from '../index-file.ts';
import { SUFFIX_OFFSET_BITS } from '../index-file.ts';
import { cost } from './costs.ts';
import { letterCount } from './letters.ts';
import type { Pattern } from './query.ts';
import type { TermList, Terms } from './terms.ts';

/** Adds the terms that are the text, begin with it, or have it inside. */
export function addLiteral(file: SearchIndex, terms: Terms, pattern: Pattern, list: TermList): void {
  const { bytes, letters } = pattern;
  const { suffixes, termSignatures } = file;
  const count = letters.length;
  const openEnd = (term: number): number => {
    const all = letterCount(termSignatures[term] ?? 0);
    return Math.floor((cost.openEnd * (all - count)) / all);
  };

  const starting = terms.startingWith(bytes);
  for (let term = starting.from; term < starting.to; term++) {
    const isWhole = terms.bytes(term) === bytes.length;
    list.add(term, isWhole ? 0 : cost.prefix + openEnd(term));
  }
  // A single ASCII letter is inside of half of all words and says nothing; a single 狗 does.
  if (bytes.length < 2) return;
  const inside = terms.containing(bytes);
  for (let position = inside.from; position < inside.to; position++) {
    const term = (suffixes[position] ?? 0) >>> SUFFIX_OFFSET_BITS;
    list.add(term, cost.inside + openEnd(term));
  }
}

/** The cost of a text's best match in the words of another one, as in `addLiteral`; `undefined` if there is none. */
export function literalCost({ text, letters }: Pattern, words: string): number | undefined {
  let best: number | undefined;
  for (const word of words.split(' ')) {
    const at = word.indexOf(text);
    if (at < 0) continue;
    const openEnd = Math.floor((cost.openEnd * (word.length - letters.length)) / word.length);
    const matched = word === text ? 0 : (at === 0 ? cost.prefix : cost.inside) + openEnd;
    if (best === undefined || matched < best) best = matched;
  }
  return best;
}
