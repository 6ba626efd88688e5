import stringWidth from 'string-width';

/** The meaning of a part of a line; each front end gives it a colour. */
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
  /** The command line that this text stands for; the page makes a button of it. */
  readonly command?: string | undefined;
}

/** One line of output, without its line break. */
export type Line = readonly Span[];

export function span(text: string, tone?: Tone): Span {
  return tone === undefined ? { text } : { text, tone };
}

/** A command that the reader can type as it stands. */
export function commandSpan(command: string): Span {
  return { text: command, command };
}

export function plainText(lines: readonly Line[]): string {
  return lines.map((line) => line.map(({ text }) => text).join('')).join('\n');
}

// Controls could move a terminal's cursor, and directional marks could turn a line around.
const UNPRINTABLE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu;

/** Text from elsewhere (a coin's name, a service's message) as one printable line. */
export function clean(text: string): string {
  return text.replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim();
}

const graphemes = new Intl.Segmenter();

/** The width of a text in a terminal's cells: two for a CJK character or an emoji, none for a combining mark. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** The text in exactly `width` cells: filled up with spaces, or cut with an ellipsis. */
export function fitted(text: string, width: number): string {
  const short = shortened(text, width);
  return short + ' '.repeat(Math.max(0, width - displayWidth(short)));
}

/** A text in at most `width` cells, with an ellipsis if it was longer; what is read as one character stays whole. */
export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text of words in lines of at most `width` cells; a longer word has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && displayWidth(line) + 1 + displayWidth(word) <= width) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
