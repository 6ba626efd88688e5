import { element } from './dom.ts';

const LETTERS = 2;
/** 2^32 divided by the golden ratio: spreads neighbouring hashes over the circle (Knuth, 6.4). */
const SPREAD = 2_654_435_769;

/**
 * A round mark with the first letters of a coin's symbol, in a colour of its own that stays the same. Decoration: the name
 * stands beside it.
 */
export function monogram({ id, symbol }: { readonly id: string; readonly symbol: string }): HTMLElement {
  const letters = [...symbol.replace(/[^\p{L}\p{N}]/gu, '')].slice(0, LETTERS).join('').toUpperCase();
  const mark = element('span', { class: 'monogram', 'aria-hidden': 'true' }, letters || '?');
  mark.style.setProperty('--hue', String(hueOf(id)));
  return mark;
}

/** The angle of a colour, from 0 to 359, by the id of a coin; its lightness and contrast are the style sheet's. */
export function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return Math.floor(((Math.imul(hash, SPREAD) >>> 0) / 2 ** 32) * 360);
}
