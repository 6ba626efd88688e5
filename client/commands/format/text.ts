import { cleanText } from '../../../shared/platform/clean-text.ts';

/** The meaning of a part of a line; each front end chooses the colour. */
export type Tone =
  | 'strong'
  | 'muted'
  | 'up'
  | 'down'
  | 'faint-up'
  | 'faint-down'
  | 'flash-up'
  | 'flash-down'
  | 'error'
  | `line${1 | 2 | 3 | 4 | 5}`;

export interface Span {
  readonly text: string;
  readonly tone?: Tone | undefined;
  /** The command line that this text stands for; the page shows a button. */
  readonly command?: string | undefined;
}

/** One line of output, without its line break. */
export type Line = readonly Span[];

export function span(text: string, tone?: Tone): Span {
  return tone === undefined ? { text } : { text, tone };
}

/** A command that the reader can type as shown. */
export function commandSpan(command: string): Span {
  return { text: command, command };
}

/** Joins words to lines that `fits` accepts; a word that does not fit has its own line. */
export function wrapWords(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && fits(`${last} ${word}`)) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}

export function plainText(lines: readonly Line[]): string {
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
}

/** External text (a coin's name, a service's message) as one printable line. */
export function clean(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}
