import type { LookupIndex } from './index-file.ts';

/** Entries without a name or without a symbol; one of white space alone is none. */
export function countUnlabelled({ flags, text, textLengths, textStarts }: LookupIndex): number {
  let count = 0;
  for (let row = 0; row < flags.length; row++) {
    const name = (textStarts[row] ?? 0) + (textLengths[row * 2] ?? 0);
    const symbol = name + (textLengths[row * 2 + 1] ?? 0);
    const end = textStarts[row + 1] ?? symbol;
    if (isBlank(text, name, symbol) || isBlank(text, symbol, end)) count++;
  }
  return count;
}

/**
 * Decodes only what begins with white space or beyond ASCII: a container does this beside a request, and to decode all
 * texts of 54,359 entries takes 14 ms instead of 1.
 */
function isBlank(text: Buffer, start: number, end: number): boolean {
  if (start >= end) return true;
  const first = text[start] ?? 0;
  return (first <= 0x20 || first >= 0x80) && text.toString('utf8', start, end).trim() === '';
}
