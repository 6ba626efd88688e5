/** Letters that Unicode does not decompose although people type them without the stroke or the ligature. */
const plainLetters: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ı: 'i',
  ƒ: 'f',
  ς: 'σ',
};

const foldedAlready = /^[a-z0-9]+(?: [a-z0-9]+)*$/;
/** The short way for nearly all texts: 0.3 instead of 1.2 µs. */
const ascii = /^[\x20-\x7e]*$/;
const asciiSeparators = /[^a-z0-9]+/g;
const undecomposed = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');
/** Everything but letters, digits and the signs that some coins are named with alone (`⌘`, `∅`, `☮`). */
const separators = /(?:[^\p{L}\p{N}\p{S}]|[$+<=>^`|~⁄])+/gu;

/** The words without case, accents, width and punctuation: `Łódź & Coin™` is `lodz cointm`. May be empty. */
export function foldText(text: string): string {
  if (foldedAlready.test(text)) return text;
  if (ascii.test(text)) {
    return text.toLowerCase().replaceAll("'", '').replace(asciiSeparators, ' ').trim();
  }
  return text
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
    .replace(separators, ' ')
    .normalize('NFC') // Hangul back from its parts, so that one syllable is one letter
    .trim();
}

/**
 * Two symbols are the same symbol if this is equal: trimmed and without case. Up and down again, because neither way
 * alone brings `ſ`, `ς` or `µ` together with the letters that they are forms of.
 */
export function symbolKey(symbol: string): string {
  return symbol.trim().toUpperCase().toLowerCase();
}
