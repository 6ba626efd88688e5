import type { Coin } from '../coins.ts';
import { quoted } from '../parse/words.ts';
import { clean, commandSpan, type Line, span } from './text.ts';

/** `Bitcoin (BTC)`. */
export function coinTitle({ name, symbol }: Pick<Coin, 'name' | 'symbol'>): string {
  return `${clean(name)} (${clean(symbol)})`;
}

/** `7 of your last search: Bitcoin (BTC)`; the title alone of a coin that was named by anything else. */
export function coinHeading(title: string, { listNumber }: Coin): Line {
  const number = listNumber === undefined ? [] : [span(`${listNumber} of your last search: `, 'muted')];
  return [...number, span(title, 'strong')];
}

/** Remarks on the coin that was taken: others may be meant, or it is no longer active. */
export function coinNotes({ name, symbol, foundBy, alternatives, isActive }: Coin): Line[] {
  const notes: Line[] = [];
  if (!isActive) notes.push([span('This coin is no longer active.', 'muted')]);
  if (alternatives > 0) {
    const isName = foundBy === 'name';
    const typed = clean(isName ? name : symbol);
    const others = alternatives === 1 ? '1 other coin' : `${alternatives} other coins`;
    notes.push([
      span(`${isName ? 'Found by name; ' : ''}${typed} is also the symbol of ${others}: `, 'muted'),
      commandSpan(`coinsearch ${quoted(typed)}`),
    ]);
  }
  return notes;
}
