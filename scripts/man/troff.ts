/** Text for the macros of man(7): nothing in it is a request or an escape, and hyphens can be copied as they stand. */
export function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll(/[^\x20-\x7e]/gu, (character) => `\\[u${codeOf(character)}]`)
    .replace(/^(?=[.'])/, '\\&');
}

const codeOf = (character: string) =>
  (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** One argument of a macro. */
const argument = (text: string) => `"${escaped(text).replaceAll('"', '\\(dq')}"`;

export const section = (title: string) => `.SH ${argument(title)}`;

export const subsection = (title: string) => `.SS ${argument(title)}`;

export const bold = (text: string) => `.B ${argument(text)}`;

/** A term with what it means, indented below or beside it. */
export const item = (term: string, meaning: string) => ['.TP', bold(term), escaped(meaning)].join('\n');

/** Lines that are shown as they stand. */
export const verbatim = (lines: readonly string[]) =>
  ['.PP', '.RS 4', '.nf', ...lines.map(escaped), '.fi', '.RE'].join('\n');
