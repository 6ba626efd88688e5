/**
 * A command line that cannot be understood; `usage` is the command's, if it helps, and `meant` lists command lines that
 * may have been meant.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly usage: string | undefined;
  readonly meant: readonly string[];

  constructor(message: string, usage?: string, meant: readonly string[] = []) {
    super(message);
    this.usage = usage;
    this.meant = meant;
  }
}

/**
 * Splits a typed line into words as a shell does: at spaces, except within single or double quotes; a backslash escapes
 * the next character. Throws UsageError for an unclosed quote.
 */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === '\\' && quote !== "'" && index + 1 < line.length) {
      index += 1;
      word = (word ?? '') + line.charAt(index);
    } else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === quote) {
      quote = '';
    } else if (quote === '' && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') throw new UsageError(`The quote ${quote} is not closed`);
  return word === undefined ? words : [...words, word];
}

/** A word as it can be typed again: quoted if a shell would otherwise split or expand it. */
export function quoted(word: string): string {
  return /^[\p{L}\p{N}_.,:@%+=/-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
